import type { RuleTest, RuleTestFile, ScriptedCommand, ScriptedReply } from "./rule-test.ts";
import { actionsByName } from "../actions/index.ts";
import { indexRules } from "../core/policy.ts";
import { emptyState, type State } from "../core/state.ts";
import { step } from "../core/step.ts";
import { alertKey } from "../domain/alert.ts";
import { entityKey } from "../domain/entity.ts";
import { NO_CHANNELS } from "../domain/notification.ts";
import type { Part } from "../domain/observation.ts";
import type { Command, Effect, Event, Finding, Policy } from "../domain/step.ts";
import { DAY, HOUR, MINUTE, SECOND, type Instant } from "../domain/time.ts";
import { kinds } from "../pollers/kinds.ts";
import { AGGREGATOR, START, scriptedAggregator, type ScriptedAggregator } from "./aggregator.ts";

/**
 * The scripted world: it plays the shell around `step` on virtual time. It ticks each second as the
 * daemon does, polls by the test's timelines, answers probes from what they say at that instant, and
 * carries out actions by the test's replies. Polls, probes and replies take no time, unless a reply
 * says otherwise.
 */
export type ScriptedWorld = {
  readonly test: RuleTest;
  readonly policy: Policy;
  readonly state: State;
  readonly aggregator: ScriptedAggregator;
  /** What was found so far, and when. */
  readonly findings: Array<{ readonly at: Instant; readonly finding: Finding }>;
  readonly coming: Coming[];
  readonly replied: Map<ScriptedReply, number>;
  now: Instant;
};

type Coming = { readonly at: Instant; readonly deliver: () => void };
type Act = Extract<Effect, { type: "act" }>;

/** A fresh world at the start of its test. */
export function scriptedWorld(test: RuleTest, rules: RuleTestFile["rules"]): ScriptedWorld {
  const aggregator = scriptedAggregator(test);
  const world: ScriptedWorld = {
    test,
    policy: policyOf(test, rules, aggregator),
    state: emptyState(),
    aggregator,
    findings: [],
    coming: [],
    replied: new Map(),
    now: START,
  };
  tell(world, { type: "started" });
  happen(world);
  return world;
}

/** Passes time until the whole of the second at `until` is over. */
export function passUntil(world: ScriptedWorld, until: Instant): void {
  while (world.now < until) {
    world.now += SECOND;
    happen(world);
  }
}

/** All of one second: what arrives, the polls, the operators, the tick, and what follows from them. */
function happen(world: ScriptedWorld): void {
  const second = world.now;
  arrive(world, second);
  if ((second - START) % world.test.everyMs === 0) poll(world);
  for (const command of world.test.commands) {
    if (START + command.atMs === second) applyCommand(world, command);
  }
  tell(world, { type: "tick" });
  arrive(world, second + SECOND - 1);
  world.now = second;
}

/** With the defaults of the config, but for what a test's pace makes necessary. */
function policyOf(
  test: RuleTest,
  rules: RuleTestFile["rules"],
  { surfaces }: ScriptedAggregator,
): Policy {
  const { everyMs: intervalMs, staleAfterMs } = test;
  const pollers = [...surfaces.keys()].map((name) => ({ name, intervalMs, staleAfterMs }));
  return {
    aggregators: [{ name: AGGREGATOR, pollers }],
    kinds,
    actions: actionsByName,
    ...indexRules(rules),
    acting: {
      mode: test.mode,
      budget: { max: 20, perMs: HOUR },
      budgets: {},
      settleAfterStartMs: 30 * SECOND,
      // A slow pace alone is to hold back no action.
      maxAgeMs: Math.max(MINUTE, intervalMs),
      confirmWithinMs: 15 * SECOND,
      approvalExpiresAfterMs: 30 * MINUTE,
      undoWindowMs: 30 * MINUTE,
      undoLimit: 2,
      rampIntervalMs: MINUTE,
    },
    notify: NO_CHANNELS,
    resolvedRetentionMs: 15 * MINUTE,
    remediationRetentionMs: 7 * DAY,
  };
}

function tell(world: ScriptedWorld, event: Event): void {
  const at = Math.max(world.now, world.state.at);
  const { effects, findings } = step(world.policy, world.state, event, at);
  for (const finding of findings) world.findings.push({ at, finding });
  for (const effect of effects) perform(world, effect);
}

/** Delivers what comes until then, in the order of its instants. */
function arrive(world: ScriptedWorld, until: Instant): void {
  for (;;) {
    const next = world.coming
      .filter(({ at }) => at <= until)
      .reduce<Coming | undefined>(
        (first, one) => (first === undefined || one.at < first.at ? one : first),
        undefined,
      );
    if (next === undefined) return;
    world.coming.splice(world.coming.indexOf(next), 1);
    world.now = Math.max(world.now, next.at);
    next.deliver();
  }
}

function poll(world: ScriptedWorld): void {
  for (const poller of world.aggregator.surfaces.keys()) {
    const parts = world.aggregator.poll(poller, world.now);
    if (parts !== undefined) tell(world, observed(poller, parts, "poll"));
  }
}

function observed(poller: string, parts: readonly Part[], origin: "poll" | "probe"): Event {
  const observation = { aggregator: AGGREGATOR, poller, parts, origin, durationMs: 0 };
  return { type: "observed", observation };
}

function applyCommand(world: ScriptedWorld, scripted: ScriptedCommand): void {
  const command = commandOf(world, scripted);
  const reason = "reason" in scripted ? scripted.reason : "the test says so";
  tell(world, { type: "command", by: "test", reason, command });
}

function commandOf({ state, policy }: ScriptedWorld, scripted: ScriptedCommand): Command {
  if (scripted.name === "release") {
    return { name: "release_quarantine", entity: `${AGGREGATOR}/${scripted.entity}` };
  }
  if (!("alert" in scripted)) return { name: scripted.name, source: "operator" };
  const { name, alert, id } = scripted;
  const kind = policy.rules.get(alert)?.kind ?? "";
  const key = alertKey(alert, entityKey({ aggregator: AGGREGATOR, kind, id }));
  // The core refuses what is not there, and its finding says so.
  return { name, proposal: state.tables.proposal.get(key)?.id ?? `of ${alert} ${id}` };
}

function perform(world: ScriptedWorld, effect: Effect): void {
  if (effect.type === "act") return act(world, effect);
  if (effect.type === "notify") return;
  const { poller, surface, why } = effect;
  // What verifies an action must be asked after it, and still takes no time here.
  const askedAt = world.now + (why === "verify" ? 1 : 0);
  const deliver = (): void => {
    const reading = world.aggregator.read(poller, surface, askedAt);
    tell(world, observed(poller, [{ surface, askedAt, reading }], "probe"));
  };
  world.coming.push({ at: world.now, deliver });
}

function act(world: ScriptedWorld, { remediation: id, action }: Act): void {
  const entity = world.state.tables.remediation.get(id)?.entity;
  if (entity === undefined) throw new Error(`the remediation ${id} was asked for and is not there`);
  const reply = nextReply(world, action, entity.id);
  const deliver = (): void => {
    if (reply.effect) world.aggregator.repair(action, entity.kind, entity.id, world.now);
    const { outcome } = reply;
    const detail = `the test says ${outcome}`;
    tell(world, { type: "acted", remediation: id, reply: { outcome, detail } });
  };
  world.coming.push({ at: world.now + reply.afterMs, deliver });
}

const DEFAULT_REPLY = { outcome: "acknowledged", effect: true, afterMs: 0 } as const;

function nextReply(world: ScriptedWorld, action: Act["action"], id: string) {
  for (const reply of world.test.replies) {
    if (reply.action !== action || (reply.id !== undefined && reply.id !== id)) continue;
    const times = world.replied.get(reply) ?? 0;
    if (times >= reply.times) continue;
    world.replied.set(reply, times + 1);
    return reply;
  }
  return DEFAULT_REPLY;
}
