import { DEFAULT_ACTING } from "../../config/settings/settings-schema.ts";
import { DEFAULT_LIMITS } from "../../domain/limits.ts";
import type { RuleTest, RuleTestFile, ScriptedCommand, ScriptedReply } from "../file/rule-test.ts";
import { actionsByName } from "../../actions/index.ts";
import { indexRules } from "../../core/policy.ts";
import { emptyState, type State } from "../../core/state.ts";
import { step } from "../../core/step.ts";
import { alertKey } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import { NO_CHANNELS } from "../../domain/notification.ts";
import { surfaceKey, type Part } from "../../domain/observation.ts";
import type { Command, Effect, Event, Finding, Policy } from "../../domain/step.ts";
import { DAY, MINUTE, SECOND, type Instant } from "../../domain/time.ts";
import { kinds } from "../../pollers/kinds.ts";
import { AGGREGATOR, scriptedAggregator, type ScriptedAggregator } from "./scripted-aggregator.ts";

/**
 * The test harness: it replaces the shell around `step`, on virtual time. It ticks each second, like the daemon. Polls
 * and probes read the test's timelines, and the test's replies answer actions. Polls, probes and replies take no time,
 * unless a reply has an `after`.
 */
export type Harness = {
  readonly test: RuleTest;
  readonly policy: Policy;
  readonly state: State;
  readonly aggregator: ScriptedAggregator;
  /** The findings so far, each with its instant. */
  readonly findings: Array<{ readonly at: Instant; readonly finding: Finding }>;
  readonly deliveries: Delivery[];
  readonly replied: Map<ScriptedReply, number>;
  now: Instant;
};

type Delivery = { readonly at: Instant; readonly deliver: () => void };
type Act = Extract<Effect, { type: "act" }>;

/** A new harness, in which the first second of the test has passed. */
export function startHarness(test: RuleTest, rules: RuleTestFile["rules"]): Harness {
  const aggregator = scriptedAggregator(test);
  const harness: Harness = {
    test,
    policy: policyOf(test, rules, aggregator),
    state: emptyState(),
    aggregator,
    findings: [],
    deliveries: [],
    replied: new Map(),
    now: test.startsAt,
  };
  handle(harness, { type: "started" });
  runSecond(harness);
  return harness;
}

/** Lets time pass to the end of the second at `until`. */
export function advanceTo(harness: Harness, until: Instant): void {
  while (harness.now < until) {
    harness.now += SECOND;
    runSecond(harness);
  }
}

/** Runs one second: deliveries, polls, commands, the tick, and the deliveries that follow. */
function runSecond(harness: Harness): void {
  const second = harness.now;
  deliverUntil(harness, second);
  if ((second - harness.test.startsAt) % harness.test.everyMs === 0) poll(harness);
  for (const command of harness.test.commands) {
    if (harness.test.startsAt + command.atMs === second) applyCommand(harness, command);
  }
  handle(harness, { type: "tick" });
  deliverUntil(harness, second + SECOND - 1);
  harness.now = second;
}

/**
 * The defaults of the config, except for the settings that the test gives or its pace requires. Its one aggregator is one
 * that each rule judges: a test of a rule that names others would find nothing, and pass if it expects nothing.
 */
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
    ...indexRules(
      rules
        .filter(({ alert }) => test.judgedBy?.has(alert) ?? true)
        .map(({ aggregators: _any, ...rule }) => rule),
    ),
    acting: {
      ...DEFAULT_ACTING,
      mode: test.mode,
      // A slow pace alone must not hold back an action.
      maxAgeMs: Math.max(DEFAULT_ACTING.maxAgeMs, intervalMs),
    },
    notify: NO_CHANNELS,
    limits: { ...DEFAULT_LIMITS, entities: test.mostEntities, entitiesPerEntry: 1 },
    resolvedRetentionMs: 15 * MINUTE,
    remediationRetentionMs: 7 * DAY,
  };
}

function handle(harness: Harness, event: Event): void {
  const at = Math.max(harness.now, harness.state.at);
  const { effects, findings } = step(harness.policy, harness.state, event, at);
  for (const finding of findings) harness.findings.push({ at, finding });
  for (const effect of effects) perform(harness, effect);
}

/** A probe and a reply for each of the most entities, ten times: more would be one that asks for itself again. */
const MOST_IN_A_SECOND = 1_000_000;

/** Makes the deliveries that are due by an instant, in order of time. */
function deliverUntil(harness: Harness, until: Instant): void {
  for (let delivered = 0; ; delivered += 1) {
    if (delivered > MOST_IN_A_SECOND) throw new Error("a rule test does not get on");
    const [next] = harness.deliveries
      .filter(({ at }) => at <= until)
      .toSorted((one, other) => one.at - other.at);
    if (next === undefined) return;
    harness.deliveries.splice(harness.deliveries.indexOf(next), 1);
    harness.now = Math.max(harness.now, next.at);
    next.deliver();
  }
}

function poll(harness: Harness): void {
  for (const poller of harness.aggregator.surfaces.keys()) {
    const parts = harness.aggregator.poll(poller, harness.now);
    if (parts !== undefined) handle(harness, observed(poller, parts, "poll"));
  }
}

function observed(poller: string, parts: readonly Part[], origin: "poll" | "probe"): Event {
  const observation = { aggregator: AGGREGATOR, poller, parts, origin, durationMs: 0 };
  return { type: "observed", observation };
}

function applyCommand(harness: Harness, scripted: ScriptedCommand): void {
  const command = commandOf(harness, scripted);
  const reason = "reason" in scripted ? scripted.reason : "the test says so";
  handle(harness, { type: "command", by: scripted.by, reason, command });
}

function commandOf({ state, policy }: Harness, scripted: ScriptedCommand): Command {
  if (scripted.name === "release") {
    return { name: "release_quarantine", entity: `${AGGREGATOR}/${scripted.entity}` };
  }
  if (!("alert" in scripted)) return { name: scripted.name, source: "operator" };
  const { name, alert, id } = scripted;
  const kind = policy.rules.get(alert)?.kind ?? "";
  const key = alertKey(alert, entityKey({ aggregator: AGGREGATOR, kind, id }));
  const waiting = state.tables.proposal.get(key);
  // The core refuses a proposal that does not exist, with a finding.
  const proposal = waiting?.id ?? `of ${alert} ${id}`;
  return name === "deny" ? { name, proposal } : { name, proposal, digest: waiting?.digest };
}

function perform(harness: Harness, effect: Effect): void {
  if (effect.type === "act") return act(harness, effect);
  if (effect.type === "notify") return;
  const { poller, surface, why } = effect;
  // A reading that verifies an action must be asked after it, but takes no time here; the next one is no older.
  const known = harness.state.surfaces.get(surfaceKey(AGGREGATOR, poller, surface))?.askedAt ?? 0;
  const askedAt = Math.max(known, harness.now + (why === "verify" ? 1 : 0));
  const deliver = (): void => {
    const reading = harness.aggregator.read(poller, surface, askedAt);
    handle(harness, observed(poller, [{ surface, askedAt, reading }], "probe"));
  };
  harness.deliveries.push({ at: harness.now, deliver });
}

function act(harness: Harness, { remediation: id, action }: Act): void {
  const entity = harness.state.tables.remediation.get(id)?.entity;
  if (entity === undefined) throw new Error(`the remediation ${id} was asked for and is not there`);
  const reply = nextReply(harness, action, entity.id);
  const deliver = (): void => {
    if (reply.effect) harness.aggregator.repair(action, entity.kind, entity.id, harness.now);
    const { outcome } = reply;
    const detail = `the test says ${outcome}`;
    handle(harness, { type: "acted", remediation: id, reply: { outcome, detail } });
  };
  harness.deliveries.push({ at: harness.now + reply.afterMs, deliver });
}

const DEFAULT_REPLY = { outcome: "acknowledged", effect: true, afterMs: 0 } as const;

function nextReply(harness: Harness, action: Act["action"], id: string) {
  for (const reply of harness.test.replies) {
    if (reply.action !== action || (reply.id !== undefined && reply.id !== id)) continue;
    const times = harness.replied.get(reply) ?? 0;
    if (times >= reply.times) continue;
    harness.replied.set(reply, times + 1);
    return reply;
  }
  return DEFAULT_REPLY;
}
