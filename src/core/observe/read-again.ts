import { alertKey } from "../../domain/alert.ts";
import { sameFacts, type Entity, type Facts } from "../../domain/entity.ts";
import { POLLER_KIND } from "../../domain/lease.ts";
import { surfaceKey, type Observation } from "../../domain/observation.ts";
import type { Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import { AGGREGATOR_KIND } from "./aggregator-health.ts";
import { countEntityChange } from "./revisions.ts";
import { pollerEntityKey } from "../policy.ts";
import type { State } from "../state.ts";
import { surfacesOf, type SurfaceState } from "../surface-index.ts";
import { isApplied } from "./unchanged-listing.ts";

/**
 * A poll that reads the same as the poll before it. Its step only makes its surfaces and its poller fresher, so in a long
 * row of such polls, as in a record, nothing else needs to be done.
 */

/** The fact of a poller that every poll changes. */
const LAST_SUCCESS = "last_success";

/**
 * Whether no rule of pollers depends on time, or on when one last succeeded, so that a poll is judged by what it read,
 * and no window is on facts of the watching itself.
 */
export function isFreshnessUnjudged({ rulesByKind, windowsByKind }: Policy): boolean {
  if (windowsByKind.has(POLLER_KIND) || windowsByKind.has(AGGREGATOR_KIND)) return false;
  return (rulesByKind.get(POLLER_KIND) ?? []).every(
    ({ when, act }) =>
      !when.readsTime &&
      !when.reads.includes(LAST_SUCCESS) &&
      act?.condition?.reads.includes(LAST_SUCCESS) !== true,
  );
}

/** Whether no alert on the poller could be moved by time or by its next poll. */
export function isPollerWell(
  policy: Policy,
  { tables }: State,
  { aggregator, poller }: Pick<Observation, "aggregator" | "poller">,
): boolean {
  const key = pollerEntityKey(policy, aggregator, poller);
  return (policy.rulesByKind.get(POLLER_KIND) ?? []).every((rule) => {
    const alert = tables.alert.get(alertKey(rule.alert, key));
    return alert === undefined || alert.state === "resolved";
  });
}

/** Whether no rule could judge the poller differently after this poll: it succeeded again, as before. */
export function isOnlyFresher(
  policy: Policy,
  state: State,
  observation: Pick<Observation, "aggregator" | "poller">,
  { facts: before, unknownSince }: Entity,
  facts: Facts,
): boolean {
  if (unknownSince !== undefined || before[LAST_SUCCESS] === undefined) return false;
  if (!sameFacts(before, { ...facts, [LAST_SUCCESS]: before[LAST_SUCCESS] })) return false;
  return isFreshnessUnjudged(policy) && isPollerWell(policy, state, observation);
}

/** Whether every rule can decide on all that the poller read, as it could at its last poll. */
export function isAllDecided(
  policy: Policy,
  { tables, undecided }: State,
  { aggregator, poller }: Pick<Observation, "aggregator" | "poller">,
): boolean {
  const entity = tables.entity.get(pollerEntityKey(policy, aggregator, poller));
  return entity?.facts["undecided"] === "" && undecided.values().every(({ size }) => size === 0);
}

/** The keys of the surfaces that a poller reads, in the order of the parts; kept, as a month has many polls. */
export type KeysRead = { readonly poller: string; readonly surfaces: readonly string[] };

export function keysRead(
  policy: Policy,
  { aggregator, poller, parts }: Pick<Observation, "aggregator" | "poller" | "parts">,
): KeysRead {
  return {
    poller: pollerEntityKey(policy, aggregator, poller),
    surfaces: parts.map(({ surface }) => surfaceKey(aggregator, poller, surface)),
  };
}

/**
 * Whether a poll reads what was applied before, and nothing waits for a reading. Call it for a poll whose readings are
 * those of an earlier one that showed nothing new, if nothing else has changed since.
 */
export function isReadAgain(
  state: State,
  { parts, origin, ongoing, earlier }: Observation,
  keys: KeysRead,
): boolean {
  if (origin !== "poll" || ongoing === true || earlier !== undefined) return false;
  if (state.confirming.size + state.unsettled.size > 0) return false;
  return parts.every(({ askedAt, reading }, index) => {
    const key = keys.surfaces[index] ?? "";
    const surface = state.surfaces.get(key);
    if (surface === undefined || !reading.ok || state.waiting.surfaces.has(key)) return false;
    return isPlain(surface, askedAt) && isApplied(state, surface, reading);
  });
}

/** Whether it was read successfully, and no later than this. */
function isPlain({ ok, missing, askedAt: before = Infinity }: SurfaceState, askedAt: Instant) {
  return ok && missing === undefined && askedAt >= before;
}

/** Does what the step of such a poll would do. */
export function noteReadAgain(
  state: State,
  { aggregator, poller, parts }: Observation,
  keys: KeysRead,
  at: Instant,
): void {
  state.at = at;
  surfacesOf(state, aggregator, poller).areAllUnknown = false;
  let firstAskedAt = at;
  for (const [index, { askedAt }] of parts.entries()) {
    const surface = state.surfaces.get(keys.surfaces[index] ?? "");
    if (surface !== undefined) surface.askedAt = askedAt;
    firstAskedAt = Math.min(firstAskedAt, askedAt);
  }
  const entity = state.tables.entity.get(keys.poller);
  if (entity === undefined) return;
  if (!succeed(entity, firstAskedAt)) return;
  countEntityChange(state, keys.poller);
  state.tables.counter.set("at", at);
}

/** False if that was known already. */
function succeed(entity: Entity, at: Instant): boolean {
  if (entity.facts[LAST_SUCCESS] === at) return false;
  entity.facts = { ...entity.facts, [LAST_SUCCESS]: at };
  return true;
}
