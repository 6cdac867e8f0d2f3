import { restore } from "../../src/core/start.ts";
import { emptyState, type State } from "../../src/core/state.ts";
import { step } from "../../src/core/step.ts";
import type { ActionReply } from "../../src/domain/action.ts";
import { alertKey, type Alert } from "../../src/domain/alert.ts";
import { entityKey, type Entity, type SeenEntity } from "../../src/domain/entity.ts";
import type {
  Batch,
  ChannelPolicy,
  Delivery,
  DeliveryOutcome,
} from "../../src/domain/notification.ts";
import { surfaceKey } from "../../src/domain/observation.ts";
import type { Remediation } from "../../src/domain/remediation.ts";
import type { Rule } from "../../src/domain/rule.ts";
import type {
  ActingPolicy,
  Command,
  Effect,
  Event,
  Finding,
  Policy,
  StepResult,
} from "../../src/domain/step.ts";
import { MINUTE, SECOND, type Instant, type Millis } from "../../src/domain/time.ts";
import type { RunEvent } from "../../src/simulation/run-event.ts";
import { AGGREGATOR, policyOf } from "./fixtures.ts";
import { lengthOf, observed, partOf, type ReadingOptions, type Said } from "./readings.ts";
import { ScriptedJournal } from "./explain/scripted-journal.ts";

/**
 * A scripted world around the real `step`, on virtual time. It plays the part of the shell: it keeps
 * the committed rows as a journal would, ticks every second, answers probes from what it was told
 * last, and can crash at any boundary and restart from the committed rows.
 */
export type WorldOptions = {
  readonly rules: readonly Rule[];
  readonly acting?: Partial<ActingPolicy>;
  /** `answered`: by the entities that the surface was last said to have. */
  readonly probes?: "answered" | "silent";
  /** What becomes of actions: a test says what they are answered, or none is answered in time. */
  readonly actions?: "scripted" | "time_out";
  readonly channels?: readonly ChannelPolicy[];
  /** Pollers beside the usual ones. */
  readonly alsoPolled?: readonly string[];
};

/** Where a crash falls: the step is lost; its effects are; or it comes after them. */
export type CrashBoundary = "before_commit" | "before_effects" | "after_effects";

export const START: Instant = Date.UTC(2026, 0, 1);
const PROBE_LATENCY: Millis = 100;
const ACTION_TIMEOUT: Millis = 400;
const NOTIFY_LATENCY: Millis = 50;

type Act = Extract<Effect, { type: "act" }>;
type Probe = Extract<Effect, { type: "probe" }>;
type Coming = { readonly at: Instant; readonly deliver: () => void };

export function scriptedWorld(options: WorldOptions): World {
  return new World(options).starts();
}

export class World {
  policy: Policy;
  state: State = emptyState();
  now: Instant = START;
  probing: "answered" | "silent";
  private readonly acting: "scripted" | "time_out";
  crashNext: CrashBoundary | undefined;
  crashed = false;
  /** Called after each step with what came of it, before the effects are carried out. */
  onStep: (event: Event, result: StepResult) => void = () => {};
  /** Shown what the simulation shows to its checkers, in the same order. */
  witness: (seen: RunEvent) => void = () => {};
  readonly journal = new ScriptedJournal();
  /** What was really sent, over all restarts. */
  readonly sent: Array<Act & { readonly at: Instant }> = [];
  readonly probes: Array<Probe & { readonly at: Instant }> = [];
  readonly findings: Finding[] = [];
  /** Every batch that was sent, and those that a receiver took. */
  readonly batches: Batch[] = [];
  readonly delivered: Batch[] = [];
  receives: (batch: Batch) => DeliveryOutcome = () => "delivered";
  /** What receivers that fail ask for. */
  retryAfter: Pick<Delivery, "retryAfterMs"> = {};
  readonly truth = new Map<string, readonly SeenEntity[]>();
  private coming: Coming[] = [];

  constructor(options: WorldOptions) {
    const { rules, acting, probes, actions = "scripted", channels = [], alsoPolled } = options;
    this.policy = {
      ...policyOf(rules, acting, alsoPolled),
      notify: { channels, suppressedAfterMs: 15 * MINUTE, annotations: "live" },
    };
    this.probing = probes ?? "answered";
    this.acting = actions;
  }

  starts(): this {
    this.witness({ type: "restarted", at: this.now, policy: this.policy, state: this.state });
    return this.tell({ type: "started" });
  }

  /** Passes time until this long after the start of the world. */
  at(duration: string): this {
    return this.passUntil(START + lengthOf(duration));
  }

  passes(duration: string): this {
    return this.passUntil(this.now + lengthOf(duration));
  }

  /** Passes time in one leap, with one tick at its end. */
  leaps(duration: string): this {
    this.now += lengthOf(duration);
    return this.tell({ type: "tick" });
  }

  /** A reading of one surface arrives; later probes of it see the same. */
  sees(poller: string, entities: readonly SeenEntity[], options: ReadingOptions = {}): this {
    return this.becomes(poller, entities, options.surface).reads(poller, entities, options);
  }

  fails(poller: string, options: ReadingOptions = {}): this {
    return this.reads(poller, "failed", options);
  }

  /** A reading arrives, whatever probes may see. */
  reads(poller: string, said: Said, options: ReadingOptions = {}): this {
    const { surface = "all", complete = true, askedAgo = "0s", origin = "poll" } = options;
    const { evidence } = options;
    const isWhole = complete && evidence?.doubt === undefined;
    const part = partOf(surface, this.now - lengthOf(askedAgo), said, isWhole, evidence);
    return this.tell(observed(poller, [part], origin));
  }

  /** What probes will see from now on, while nothing is read yet. */
  becomes(poller: string, entities: readonly SeenEntity[], surface = "all"): this {
    this.truth.set(surfaceKey(AGGREGATOR, poller, surface), entities);
    return this;
  }

  /** A whole poll of many surfaces arrives. */
  polls(poller: string, surfaces: Readonly<Record<string, Said>>): this {
    const parts = Object.entries(surfaces).map(([surface, said]) => {
      if (said !== "failed") this.becomes(poller, said, surface);
      return partOf(surface, this.now, said);
    });
    return this.tell(observed(poller, parts));
  }

  replies(remediation: string, outcome: ActionReply["outcome"]): this {
    return this.tell({ type: "acted", remediation, reply: { outcome, detail: outcome } });
  }

  commands(command: Command): this {
    return this.tell({ type: "command", by: "alice", reason: "she said so", command });
  }

  /** A person approves what the proposal shows now. */
  approves(id: string, by = "alice"): this {
    const shown = [...this.state.tables.proposal.values()].find((one) => one.id === id);
    const command = { name: "approve", proposal: id, digest: shown?.digest } as const;
    return this.tell({ type: "command", by, reason: "she said so", command });
  }

  journalHeals(): this {
    this.journal.broken = false;
    return this.tell({ type: "journal", writable: true, detail: "works again", unsent: [] });
  }

  /** The process is gone: all that was not committed, or is under way, is lost. */
  crashes(): this {
    this.crashed = true;
    this.witness({ type: "crashed", at: this.now, boundary: "anywhere" });
    this.coming = [];
    return this;
  }

  restarts(downFor = "0s"): this {
    this.crashes();
    this.crashed = false;
    this.now += lengthOf(downFor);
    this.state = restore(this.journal.reopen());
    return this.starts();
  }

  /** The same, with aggregators that are somewhere else if it is another address. */
  restartsAt(address: number): this {
    const aggregators = this.policy.aggregators.map((one) => ({ ...one, address }));
    this.policy = { ...this.policy, aggregators };
    return this.restarts();
  }

  /** One event goes through the loop: step, commit, effects. */
  tell(event: Event): this {
    if (this.crashed) return this;
    const crash = this.crashNext;
    this.crashNext = undefined;
    const result = step(this.policy, this.state, event, this.now);
    this.onStep(event, result);
    this.findings.push(...structuredClone(result.findings));
    if (crash === "before_commit") return this.crashes();
    const durable = this.journal.commit(result.changes);
    const { now: at, policy, state } = this;
    this.witness({ type: "step", at, stampedAt: at, policy, state, event, result, durable });
    if (crash === "before_effects") return this.crashes();
    if (durable) for (const effect of result.effects) this.perform(effect);
    else this.refuse(result.effects);
    return crash === undefined ? this : this.crashes();
  }

  alerts(): string[] {
    return [...this.state.tables.alert.values()].map((alert) => {
      const id = `${alert.rule} ${alert.entity.id} ${alert.state}`;
      return alert.unknownSince === undefined ? id : `${id} (unknown)`;
    });
  }

  alert(name: string, kind: string, id: string): Alert | undefined {
    const key = entityKey({ aggregator: AGGREGATOR, kind, id });
    return this.state.tables.alert.get(alertKey(name, key));
  }

  entity(kind: string, id: string): Entity | undefined {
    return this.state.tables.entity.get(entityKey({ aggregator: AGGREGATOR, kind, id }));
  }

  remediation(id: string): Remediation | undefined {
    return this.state.tables.remediation.get(id);
  }

  /** Every remediation as `id state`. */
  remediations(): string[] {
    return [...this.state.tables.remediation.values()].map(({ id, state }) => `${id} ${state}`);
  }

  /** Why the actions were not sent, in the order in which it was said. */
  suppressions(): string[] {
    return this.found("suppressed").map((finding) => finding.reason);
  }

  found<Type extends Finding["type"]>(type: Type): Array<Extract<Finding, { type: Type }>> {
    return this.findings.filter(
      (finding): finding is Extract<Finding, { type: Type }> => finding.type === type,
    );
  }

  /** What the channels have taken, in order, as `channel subject state`. */
  told(): string[] {
    return this.delivered.flatMap(({ channel, items }) =>
      items.map(({ subject, notification }) => {
        const state = notification.type === "alert" ? notification.state : notification.word;
        return `${channel} ${subject} ${state}`;
      }),
    );
  }

  private passUntil(end: Instant): this {
    // What comes at the very instant of a tick comes before it, and does not stand in for it.
    let tickAt = (Math.floor((this.now - START) / SECOND) + 1) * SECOND + START;
    while (!this.crashed) {
      const [next] = this.coming.toSorted((one, other) => one.at - other.at);
      if (next !== undefined && next.at <= Math.min(tickAt, end)) {
        this.coming = this.coming.filter((coming) => coming !== next);
        this.now = Math.max(this.now, next.at);
        next.deliver();
      } else if (tickAt <= end) {
        this.now = tickAt;
        tickAt += SECOND;
        this.tell({ type: "tick" });
      } else break;
    }
    this.now = Math.max(this.now, end);
    return this;
  }

  /** The receiver's answer comes a little later; what it took stays with it if the daemon dies first. */
  private notify(batch: Batch): void {
    this.batches.push(batch);
    const outcome = this.receives(batch);
    if (outcome === "delivered") this.delivered.push(structuredClone(batch));
    const asked = outcome === "failed" ? this.retryAfter : {};
    const delivery = { outcome, detail: outcome, durationMs: NOTIFY_LATENCY, ...asked };
    const deliver = (): void => void this.tell({ type: "notified", batch, delivery });
    this.coming.push({ at: this.now + NOTIFY_LATENCY, deliver });
  }

  private refuse(effects: readonly Effect[]): void {
    // Alerts fail open: what is to be told is told all the same.
    for (const effect of effects) if (effect.type === "notify") this.perform(effect);
    const unsent = effects.flatMap((effect) => (effect.type === "act" ? [effect.remediation] : []));
    if (unsent.length === 0 && this.state.tables.kill.has("journal")) return;
    this.tell({ type: "journal", writable: false, detail: "disk full", unsent });
  }

  private perform(effect: Effect): void {
    if (effect.type === "act") {
      this.sent.push({ ...effect, at: this.now });
      this.witness(leftBy(effect, this.now));
      const deliver = (): void => void this.replies(effect.remediation, "in_doubt");
      if (this.acting === "time_out") this.coming.push({ at: this.now + ACTION_TIMEOUT, deliver });
      return;
    }
    if (effect.type === "notify") {
      this.notify(effect.batch);
      return;
    }
    this.probes.push({ ...effect, at: this.now });
    if (this.probing === "answered") this.answer(effect);
  }

  /** The answer comes a little later, and says what is so when it comes. */
  private answer({ poller, surface }: Probe): void {
    const askedAt = this.now + 1;
    const deliver = (): void => {
      const said = this.truth.get(surfaceKey(AGGREGATOR, poller, surface)) ?? "failed";
      this.tell(observed(poller, [partOf(surface, askedAt, said)], "probe"));
    };
    this.coming.push({ at: this.now + PROBE_LATENCY, deliver });
  }
}

/** The request that an action would be on the wire. */
function leftBy({ remediation, aggregator, call }: Act, at: Instant): RunEvent {
  const args = Object.values(call.args).map(encodeURIComponent).join("/");
  const [method, path] =
    call.endpoint === "forceCancel"
      ? ["DELETE", `/api/v1/order/force/${args}`]
      : ["POST", `/api/v1/exchange/toggle/${args}`];
  const wire = { method, path, purpose: "act", credential: "act" } as const;
  return { type: "sent", at, aggregator, ...wire, remediation };
}
