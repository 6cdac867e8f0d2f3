import { DEFAULT_ACTING } from "../../config/settings/settings-schema.ts";
import { POLLER_KIND } from "../../domain/lease.ts";
import { indexRules, pollerIdIn } from "../../core/policy.ts";
import { restore } from "../../core/start.ts";
import { emptyState, type State } from "../../core/state.ts";
import { step } from "../../core/step.ts";
import { entityKey, type Entity, type KindDefinition } from "../../domain/entity.ts";
import type { EntityLimits } from "../../domain/limits.ts";
import { tallyOf, type Observation } from "../../domain/observation.ts";
import { NO_CHANNELS } from "../../domain/notification.ts";
import type { Change, Event, Policy } from "../../domain/step.ts";
import { MINUTE, type Instant } from "../../domain/time.ts";
import { createPollHistory } from "../../io/api/lists/poll-history.ts";
import type { Recorded } from "../rebuild.ts";
import { isPlain } from "../source-reader.ts";

/**
 * What was watched, rebuilt by playing the record from its beginning. It runs the same `step` as the daemon did, but
 * without rules, so that nothing is decided and only what was read counts.
 */
export class Watching {
  private policy: Policy;
  private state: State | undefined;
  /** Where playing began: nothing is known from before. */
  since: Instant = 0;
  readonly polls = createPollHistory();
  /** For each poller, a poll that read the same as before; the next one says everything that this one said. */
  private readonly same = new Map<string, { readonly at: Instant; readonly event: Event }>();

  constructor(kinds: ReadonlyMap<string, KindDefinition>, limits: EntityLimits) {
    this.policy = watchingOnly(kinds, limits);
  }

  play(item: Recorded): void {
    if (item.type === "opened") this.open(item);
    else if (item.type === "watched") this.watch(item.watched);
    else if (item.type === "event" && isAboutWatching(item.event)) this.hear(item.event, item.at);
  }

  /** What is known by now; undefined if nothing was played. */
  get entities(): ReadonlyMap<string, Entity> | undefined {
    this.catchUp();
    return this.state?.tables.entity;
  }

  /** What is known of one entity by now, apart from polls that read the same. */
  entity(key: string): Entity | undefined {
    return this.state?.tables.entity.get(key);
  }

  get aggregators(): readonly string[] {
    return this.policy.aggregators.map(({ name }) => name);
  }

  private open({ at, why, watched, lastAt = at }: Extract<Recorded, { type: "opened" }>): void {
    this.watch(watched);
    if (why === "day" && this.state !== undefined) return;
    if (this.state === undefined) this.since = at;
    this.state = this.state === undefined ? emptyState() : restore(rowsOf(this.state, lastAt));
    this.step({ type: "started" }, at);
  }

  private watch(aggregators: Policy["aggregators"]): void {
    this.catchUp();
    this.policy = { ...this.policy, aggregators };
  }

  private hear(event: Event, at: Instant): void {
    if (event.type !== "observed") {
      this.catchUp();
      return this.step(event, at);
    }
    const { observation } = event;
    const { aggregator, poller, durationMs, origin } = observation;
    const id = pollerIdIn(this.policy, aggregator, poller);
    const source = `${aggregator}/${poller}`;
    if (!isSame(observation)) {
      // How many polls in a row failed, whatever poller they are of, is known by their order.
      if (observation.parts.some(({ reading }) => !reading.ok)) this.catchUp();
      // A poll that has ended says all that the one before it said; a piece of one does not.
      if (observation.ongoing === true) this.catchUpWith(source);
      else if (origin === "poll") this.same.delete(source);
      const ends = inTwo(observation);
      if (ends === undefined) return this.step(event, at);
      this.stepPiece(ends.first, at, entityKey({ aggregator, kind: POLLER_KIND, id }));
      this.same.set(source, { at, event: ends.last });
    } else this.same.set(source, { at, event });
    if (this.state === undefined) return;
    const polled = { aggregator, poller, id, durationMs, origin } as const;
    this.polls.note(at, { type: "polled", ...polled, outcome: "complete", detail: "" });
  }

  /** Polls that read the same are not decided one by one, which would take most of the time. */
  private catchUp(): void {
    for (const source of this.same.keys()) this.catchUpWith(source);
  }

  private catchUpWith(source: string): void {
    const poll = this.same.get(source);
    this.same.delete(source);
    if (poll !== undefined) this.step(poll.event, poll.at, "noted");
  }

  /** What a piece says of the poller's progress is left to the end of the poll, which says it of all of it. */
  private stepPiece(event: Event, at: Instant, key: string): void {
    const poller = this.state?.tables.entity.get(key);
    const facts = poller?.facts;
    this.step(event, at, "noted");
    if (poller !== undefined && facts !== undefined) poller.facts = facts;
  }

  private step(event: Event, at: Instant, polls?: "noted"): void {
    if (this.state === undefined) return;
    const now = Math.max(at, this.state.at);
    const { findings } = step(this.policy, this.state, event, now);
    if (polls !== "noted") for (const finding of findings) this.polls.note(now, finding);
  }
}

/**
 * A poll of many surfaces of which some are read out, and all are well: these as a piece, which costs only its size,
 * and an end in which nothing is read out.
 */
function inTwo(
  observation: Observation,
): { readonly first: Event; readonly last: Event } | undefined {
  const { earlier, parts, origin, ongoing, ...of } = observation;
  const isWell = parts.every(({ reading }) => isPlain(reading));
  if (origin !== "poll" || ongoing === true || earlier === undefined || !isWell) return undefined;
  const piece = { ...of, origin, parts, ongoing: true } as const;
  const end = { ...of, origin, parts: [], earlier: tallyOf(parts, earlier) };
  if (!isSame(end)) return undefined;
  return {
    first: { type: "observed", observation: piece },
    last: { type: "observed", observation: end },
  };
}

/** A poll of which nothing is read out, as all that it read is unchanged, and well. */
function isSame({ parts, origin, ongoing, earlier }: Observation): boolean {
  const isWell = earlier !== undefined && earlier.parts > 0 && earlier.failed + earlier.cut === 0;
  return parts.length === 0 && origin === "poll" && ongoing !== true && isWell;
}

function isAboutWatching({ type }: Event): boolean {
  return ["observed", "tick", "resumed", "policy_changed", "watch_changed"].includes(type);
}

/** What is durable of it, as at a restart, and the instant of the last commit. */
function* rowsOf({ tables }: State, lastAt: Instant): Generator<Change> {
  for (const [key, value] of tables.entity) yield { table: "entity", key, value };
  yield { table: "counter", key: "at", value: lastAt };
}

/** Nothing is judged, done or notified: it has no rules and no receivers. */
function watchingOnly(kinds: ReadonlyMap<string, KindDefinition>, limits: EntityLimits): Policy {
  return {
    aggregators: [],
    kinds,
    actions: new Map(),
    ...indexRules([]),
    acting: DEFAULT_ACTING,
    notify: NO_CHANNELS,
    limits,
    resolvedRetentionMs: MINUTE,
    remediationRetentionMs: MINUTE,
  };
}
