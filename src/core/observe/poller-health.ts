import { failureText } from "../../domain/http.ts";
import { entityKey, type Entity, type Facts } from "../../domain/entity.ts";
import {
  outcomeOf,
  SELF_SURFACE,
  surfaceKey,
  tallyOf,
  type Observation,
} from "../../domain/observation.ts";
import type { WatchedPoller } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import { POLLER_KIND, pollerId } from "../../domain/lease.ts";
import { pollerEntityKey, pollerIdIn } from "../policy.ts";
import { addEntity, put, type Draft } from "../draft.ts";
import { doubtOf, textOf } from "./poll-doubt.ts";
import { countsOf } from "./surface-counts.ts";
import { AGGREGATOR_KIND, expectAggregator, noteAggregator } from "./aggregator-health.ts";
import { rememberReading } from "./entity-windows.ts";
import { attendedMs } from "./resume.ts";
import { becomeUnknown, learn, newAffected, type Affected } from "./entity-life.ts";
import { isOnlyFresher } from "./read-again.ts";
import { surfacesOf } from "../surface-index.ts";
import { asKnown, keysOf } from "../entity-index.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";

/**
 * Pollers are watched too: each poller of each aggregator is an entity of the kind `poller`, so that
 * rules can be about a poller that is down or stale as they are about an exchange.
 */
/** Whether a kind describes the watching itself, and not what is watched. */
export function isOfWatching(kind: string): boolean {
  return kind === POLLER_KIND || kind === AGGREGATOR_KIND;
}

/**
 * Makes sure that every configured poller has its entity before its first poll. At the start, only its last success
 * is remembered; `added` are those that are new to a running process.
 */
export function expectPollers(draft: Draft, affected: Affected, which: "all" | "added"): void {
  for (const aggregator of draft.policy.aggregators) {
    expectAggregator(draft, aggregator.name, affected, which);
    for (const poller of aggregator.pollers) {
      const id = { aggregator: aggregator.name, kind: POLLER_KIND, id: pollerId(poller) };
      const key = entityKey(id);
      const known = draft.state.tables.entity.get(key);
      if (known !== undefined && which === "added") continue;
      const lastSuccess = known?.facts["last_success"];
      // It is not known to be up or stale until it has polled, or has failed to for too long.
      const facts: Facts = {
        name: pollerId(poller),
        ...(lastSuccess === undefined ? {} : { last_success: lastSuccess }),
      };
      if (known !== undefined) {
        rememberReading(draft, key, known, facts);
        known.facts = facts;
        put(draft, "entity", key, asKnown(draft.state, known));
      } else {
        const surface = surfaceKey(aggregator.name, poller.name, SELF_SURFACE);
        const entity: Entity = { ...id, surface, facts, firstSeen: draft.at, since: draft.at };
        addEntity(draft, entity);
      }
      affected.changed.add(key);
    }
  }
}

/** Updates the poller after a whole poll; a probe of one surface says nothing about the poller. */
export function notePoll(draft: Draft, observation: Observation, affected: Affected): void {
  if (observation.ongoing === true) return noteProgress(draft, observation, affected);
  const tally = tallyOf(observation.parts, observation.earlier);
  const outcome = outcomeOf(tally);
  const { failure } = tally;
  const doubt = doubtOf(draft, observation);
  const { aggregator, poller } = observation;
  const id = pollerIdIn(draft.policy, aggregator, poller);
  draft.findings.push({
    type: "polled",
    aggregator,
    poller,
    ...(id === poller ? {} : { id }),
    origin: observation.origin,
    outcome,
    durationMs: observation.durationMs,
    detail: failure === undefined ? textOf(doubt) : `${failure.reason}: ${failureText(failure)}`,
    ...(doubt?.reason === undefined ? {} : { doubt: doubt.reason }),
  });
  if (observation.origin === "probe") return;
  const entity = pollerEntity(draft, observation.aggregator, observation.poller);
  if (entity === undefined) return;
  const before = entity.facts;
  const up = outcome !== "failed";
  const askedAt = Math.min(draft.at, tally.askedAt);
  const { read } = surfacesOf(draft.state, observation.aggregator, observation.poller);
  const failures = up ? 0 : Number(before["consecutive_failures"] ?? 0) + 1;
  const facts: Facts = {
    ...before,
    up,
    ...(up ? { stale: false } : {}),
    ...countsOf(read.values()),
    consecutive_failures: failures,
    reason: failure?.reason ?? doubt?.reason ?? "",
    error: (failure === undefined ? doubt?.detail : failureText(failure)) ?? "",
    ...(up ? { last_success: Math.max(askedAt, progressOf(observation, before)) } : {}),
  };
  // Most polls change only `last_success`, and judging them by all rules on pollers would be wasted.
  const isAsJudged = isOnlyFresher(draft.policy, draft.state, observation, entity, facts);
  learnPoller(draft, entity, facts, isAsJudged ? newAffected() : affected);
  noteAggregator(draft, observation.aggregator, entity, affected);
}

/** The last success as the earlier pieces of a long poll have set it. */
function progressOf({ earlier }: Observation, before: Facts): number {
  return earlier === undefined ? -Infinity : Number(before["last_success"] ?? -Infinity);
}

/** A long poll that makes progress is not stale, however long it takes. */
function noteProgress(
  draft: Draft,
  { aggregator, poller, parts, earlier }: Observation,
  affected: Affected,
): void {
  const entity = pollerEntity(draft, aggregator, poller);
  const tally = tallyOf(parts, earlier);
  if (entity === undefined || tally.failed === tally.parts) return;
  const askedAt = Math.min(draft.at, tally.askedAt);
  const lastSuccess = Math.max(askedAt, Number(entity.facts["last_success"] ?? askedAt));
  const facts = { ...entity.facts, stale: false, last_success: lastSuccess };
  learnPoller(draft, entity, facts, affected);
}

/**
 * Finds the pollers that have had no success for too long. No poller can succeed in a gap, so a gap makes none stale;
 * but what was read before it is as old as it is.
 */
export function* noticeStalePollers(draft: Draft, affected: Affected): Slices {
  for (const aggregator of draft.policy.aggregators) {
    for (const poller of aggregator.pollers) {
      const entity = pollerEntity(draft, aggregator.name, poller.name);
      if (entity === undefined) continue;
      const since = lastSuccessOf(draft, entity);
      if (draft.at - since <= poller.staleAfterMs) continue;
      if (attendedMs(draft.state, since, draft.at) > poller.staleAfterMs)
        learnPoller(draft, entity, { ...entity.facts, stale: true }, affected);
      yield* becomeUnknownAll(draft, aggregator.name, poller, affected);
    }
  }
}

/** The last success, or the instant from which the poller could have had one. */
function lastSuccessOf(draft: Draft, entity: Entity): Instant {
  const lastSuccess = Number(entity.facts["last_success"] ?? Number.NEGATIVE_INFINITY);
  return Math.max(lastSuccess, draft.state.startedAt, entity.firstSeen);
}

/**
 * What was read too long ago is unknown: it neither fires, resolves nor acts. A probe may have read a surface since the
 * last poll, so each surface is judged by its own age.
 */
function* becomeUnknownAll(
  draft: Draft,
  aggregator: string,
  { name, staleAfterMs }: WatchedPoller,
  affected: Affected,
): Slices {
  const own = surfacesOf(draft.state, aggregator, name);
  if (own.areAllUnknown) return;
  let areAllUnknown = true;
  yield* eachInSlices(own.read, ([key, surface]) => {
    if (draft.at - (surface.askedAt ?? 0) <= staleAfterMs) areAllUnknown = false;
    else for (const one of keysOf(draft, key)) becomeUnknown(draft, one, affected);
  });
  own.areAllUnknown = areAllUnknown;
}

/** Adds to what is known of a poller. */
export function learnOfPoller(
  draft: Draft,
  { aggregator, poller }: Pick<Observation, "aggregator" | "poller">,
  facts: Facts,
  affected: Affected,
): void {
  const entity = pollerEntity(draft, aggregator, poller);
  if (entity !== undefined) learnPoller(draft, entity, { ...entity.facts, ...facts }, affected);
}

function learnPoller(draft: Draft, entity: Entity, facts: Facts, affected: Affected): void {
  learn(draft, entityKey(entity), entity, facts, affected);
}

function pollerEntity(draft: Draft, aggregator: string, name: string): Entity | undefined {
  return draft.state.tables.entity.get(pollerEntityKey(draft.policy, aggregator, name));
}
