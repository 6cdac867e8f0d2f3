import { ruleHashes } from "../core/change/reload.ts";
import { restore } from "../core/start.ts";
import { emptyState, type State } from "../core/state.ts";
import { step } from "../core/step.ts";
import { entityKey } from "../domain/entity.ts";
import { surfaceKey, type SurfaceReading } from "../domain/observation.ts";
import type { Effect, Event, Finding, Policy } from "../domain/step.ts";
import { eachInSlices, type Slices } from "../domain/slices.ts";
import type { Instant } from "../domain/time.ts";
import type { Recorded } from "../record/rebuild.ts";
import type { Landmarks } from "./landmarks.ts";
import { createRepeats } from "./repeats.ts";
import { rowsOf } from "./restored-rows.ts";
import { Ticks } from "./ticks.ts";

/**
 * A replay feeds the recorded events to `step`, on recorded time, and makes up the events that the record lacks: an
 * action that was not really sent is acknowledged at once, and a probe that was not really made gives the last reading.
 * From an action on that only the rules or only the record sent, the past of its entity is counterfactual.
 */
export type ReplayOptions = {
  readonly policy: Omit<Policy, "aggregators">;
  readonly record: Iterable<Recorded>;
  readonly landmarks: Landmarks;
  /** Default: only ticks that may change anything. */
  readonly ticks?: "needed" | "all";
  readonly onFinding: (at: Instant, finding: Finding) => void;
  /** Called if the past of an entity is counterfactual from this instant on. */
  readonly onDivergence: (at: Instant, entity: string, why: Divergence) => void;
};

/**
 * `sent`: these rules sent an action that was not really sent. `not_sent`: these rules did not send an action that was
 * really sent.
 */
export type Divergence = "sent" | "not_sent";

/** The result of a replay, beside its findings. */
type Replayed = { readonly state: State; readonly polls: number; readonly steps: number };

/** Replays a record to its end. The same record gives the same result. */
export function* replay(options: ReplayOptions): Slices<Replayed> {
  const run = new ReplayRun(options);
  yield* eachInSlices(options.record, (item) => run.play(item));
  return run.result();
}

class ReplayRun {
  private state = emptyState();
  private policy: Policy;
  private readonly ticks;
  private readonly repeats;
  private readonly options: ReplayOptions;
  /** The last reading of each surface, for probes that were not really made. */
  private readonly lastReadings = new Map<string, SurfaceReading>();
  /** Remediations that are really sent soon, or were and wait for their recorded answer, by action and entity. */
  private readonly awaited = new Map<string, { readonly remediation: string; isSent: boolean }>();
  /** Made-up answers, in order of time. */
  private pending: Array<{ readonly at: Instant; readonly event: Event }> = [];
  private isOpen = false;
  private polls = 0;
  private steps = 0;

  constructor(options: ReplayOptions) {
    this.options = options;
    this.policy = { ...options.policy, aggregators: [] };
    this.ticks = new Ticks(options.ticks ?? "needed");
    this.repeats = createRepeats(this.ticks);
  }

  result(): Replayed {
    return { state: this.state, polls: this.polls, steps: this.steps };
  }

  play(item: Recorded): void {
    if (item.type === "opened") return this.open(item);
    // Nothing is known before the first chapter begins. The rules and settings of that time are not used.
    if (!this.isOpen || item.type === "in_force") return;
    if (item.type === "lost") return;
    if (this.repeat(item)) return;
    // Perhaps only ticks and answers that were due before it prevented that.
    if (this.pass(runsUntil(item)) && this.repeat(item)) return;
    switch (item.type) {
      case "passed":
        return;
      case "event":
        return this.playEvent(item.event, item.at);
      case "watched":
        this.watch(item.watched);
        return;
      case "sent":
        return this.playSent(item);
      case "acted":
        return this.playAnswer(item);
    }
  }

  private open(opened: Extract<Recorded, { type: "opened" }>): void {
    const { at, why, watched } = opened;
    if (why === "day" && this.isOpen) return void this.pass(at);
    this.isOpen = true;
    this.watch(watched);
    // As after a restart, only the durable state is known.
    this.state = restore(rowsOf(this.state, opened));
    this.lastReadings.clear();
    this.awaited.clear();
    this.pending = [];
    this.step({ type: "started" }, at);
    this.ticks.align(at);
  }

  private watch(aggregators: Policy["aggregators"]): void {
    this.policy = { ...this.policy, aggregators };
    this.repeats.adopt(this.policy);
  }

  /** Takes a poll that needs no step, as it certainly shows nothing new; false for any other item. */
  private repeat(item: Recorded): boolean {
    if (item.type !== "event" || item.event.type !== "observed" || this.pending.length > 0)
      return false;
    const at = Math.max(item.at, this.state.at);
    const found = this.repeats.take(this.state, item.event.observation, at);
    if (found === undefined) return false;
    this.polls += 1;
    this.options.onFinding(at, found);
    return true;
  }

  private playEvent(event: Event, at: Instant): void {
    if (event.type === "observed") {
      const { aggregator, poller, parts } = event.observation;
      this.polls += 1;
      for (const { surface, reading } of parts) {
        this.lastReadings.set(surfaceKey(aggregator, poller, surface), reading);
      }
    }
    if (event.type === "command" && !isReplayed(event)) return;
    // The recorded rules may have changed, but those of the replay stay.
    const isReload = event.type === "policy_changed";
    this.step(isReload ? { ...event, rulesBefore: ruleHashes(this.policy.rules) } : event, at);
    if (event.type === "tick" || event.type === "resumed") this.ticks.align(at);
  }

  private playSent({ at, action, entity, isAwaited }: Extract<Recorded, { type: "sent" }>): void {
    const key = entityKey(entity);
    const awaited = this.awaited.get(`${action} ${key}`);
    // One that waits for the answer to an earlier request is not this one.
    if (awaited?.isSent !== false) return this.options.onDivergence(at, key, "not_sent");
    awaited.isSent = true;
    // The versions that left out late answers did not wait for them either: what they sent was under way until it was
    // settled. So does this replay of them, as nothing else would end it.
    if (!isAwaited) this.state.unanswered.delete(key);
  }

  private playAnswer({ at, action, entity, reply }: Extract<Recorded, { type: "acted" }>): void {
    const key = `${action} ${entityKey(entity)}`;
    const awaited = this.awaited.get(key);
    if (awaited?.isSent !== true) return;
    this.awaited.delete(key);
    this.step({ type: "acted", remediation: awaited.remediation, reply }, at);
  }

  /** Plays the ticks and made-up answers before an instant; true if there were any. */
  private pass(until: Instant): boolean {
    const { steps } = this;
    for (;;) {
      const tickAt = this.ticks.next(this.policy, this.state, until);
      const [answer] = this.pending;
      if (answer !== undefined && answer.at <= Math.min(tickAt, until)) {
        this.pending.shift();
        this.step(answer.event, answer.at);
      } else if (tickAt < until) this.step({ type: "tick" }, tickAt);
      else return this.steps > steps;
    }
  }

  private step(event: Event, instant: Instant): void {
    const at = Math.max(instant, this.state.at);
    const result = step(this.policy, this.state, event, at);
    this.steps += 1;
    this.ticks.note(event, result, this.state);
    this.repeats.note(event, result, this.state);
    for (const finding of result.findings) this.options.onFinding(at, finding);
    for (const effect of result.effects) this.perform(effect, at);
  }

  private perform(effect: Effect, at: Instant): void {
    if (effect.type === "act") return this.act(effect, at);
    // A replay sends no notifications.
    if (effect.type === "notify") return;
    const { aggregator, poller, surface } = effect;
    const key = surfaceKey(aggregator, poller, surface);
    if (this.options.landmarks.isProbedSoon(key, at)) return;
    const reading = this.lastReadings.get(key);
    if (reading === undefined) return;
    const askedAt = at + ANSWERED_AFTER;
    const parts = [{ surface, askedAt, reading }];
    const observation = { aggregator, poller, parts, origin: "probe", durationMs: 0 } as const;
    this.pending.push({ at: askedAt, event: { type: "observed", observation } });
  }

  private act({ remediation, action }: Extract<Effect, { type: "act" }>, at: Instant): void {
    const entity = this.state.tables.remediation.get(remediation)?.entity;
    if (entity === undefined) throw new Error(`the remediation ${remediation} is not there`);
    const key = entityKey(entity);
    if (this.options.landmarks.isSentSoon(action, key, at)) {
      this.awaited.set(`${action} ${key}`, { remediation, isSent: false });
      return;
    }
    this.options.onDivergence(at, key, "sent");
    const reply = { outcome: "acknowledged", detail: "made up: it was never sent" } as const;
    this.pending.push({ at: at + ANSWERED_AFTER, event: { type: "acted", remediation, reply } });
  }
}

/** Until when ticks came before an item: none did while nothing could be decided. */
export function runsUntil(item: Recorded): Instant {
  return item.type === "event" && item.event.type === "resumed" ? item.event.since : item.at;
}

/** In milliseconds. A reading that verifies an action must be asked after it. */
const ANSWERED_AFTER = 1;

/**
 * Whether a command is replayed: holds, silences and the kill switches of operators are. Approvals and denials belong
 * to the rules of that time.
 */
function isReplayed({ command }: Extract<Event, { type: "command" }>): boolean {
  if (command.name === "approve" || command.name === "deny") return false;
  // The record has the watch list itself.
  if (command.name === "watch" || command.name === "unwatch") return false;
  if (command.name !== "kill" && command.name !== "unkill") return true;
  // A kill switch by a failing journal or a bug belongs to the process of that time.
  return command.source === "operator" || command.source === "file";
}
