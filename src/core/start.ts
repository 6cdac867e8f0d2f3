import { entityKey } from "../domain/entity.ts";
import { POLLER_KIND, pollerKey } from "../domain/lease.ts";
import { parseSurfaceKey } from "../domain/observation.ts";
import type { Change, Policy } from "../domain/step.ts";
import { eachInSlices, toEnd, type Slices } from "../domain/slices.ts";
import type { ActEndpoint } from "../domain/action.ts";
import { isSettled, type Proposal } from "../domain/remediation.ts";
import type { Instant } from "../domain/time.ts";
import { touch, type Draft } from "./draft.ts";
import { forgetBaselines } from "./observe/baseline.ts";
import { forget, type Affected } from "./observe/entity-life.ts";
import { indexOutbox } from "./tell/outbox.ts";
import { countBad } from "./act/storm-count.ts";
import { AGGREGATOR_KIND } from "./observe/aggregator-health.ts";
import { REPAIR_KIND } from "./act/repairs.ts";
import { indexEntity } from "./entity-index.ts";
import { emptyState, type State } from "./state.ts";
import { forgetAllApplied } from "./observe/unchanged-listing.ts";
import { becomeUnread, forgetUnreadWithoutEntities, restoreUnread } from "./observe/unread.ts";

/** Restart: recover from committed rows, not by deciding the past again under today's rules. */

/** Builds the state from the rows of the journal. */
export function restore(rows: Iterable<Change>): State {
  return toEnd(restoreInSlices(rows));
}

/** The same, a few rows at a time. */
export function* restoreInSlices(rows: Iterable<Change>): Slices<State> {
  const state = emptyState();
  yield* eachInSlices(rows, ({ table, key, value }) => {
    const row = table === "proposal" ? ofThisVersion(value as Proposal) : value;
    (state.tables[table] as Map<string, unknown>).set(key, row);
  });
  state.at = state.tables.counter.get("at") ?? 0;
  yield* eachInSlices(state.tables.entity, ([key, entity]) => {
    indexEntity(state, key, entity);
    restoreUnread(state, entity);
  });
  const sent = [...state.tables.remediation.values()].toSorted(
    (one, other) => one.requestedAt - other.requestedAt,
  );
  // The map is read oldest first, and rows come in the order of their keys.
  state.tables.remediation.clear();
  for (const remediation of sent) {
    state.tables.remediation.set(remediation.id, remediation);
    const { requestedAt: at, rule, action, entity } = remediation;
    if (remediation.unsent !== true)
      state.ledger.push({ at, aggregator: entity.aggregator, rule, action });
    if (!isSettled(remediation)) state.unsettled.set(entityKey(entity), remediation.id);
  }
  yield* eachInSlices(state.tables.alert.values(), (alert) => countBad({ state }, alert));
  indexOutbox(state);
  return state;
}

/**
 * The first versions did not keep what a proposal showed. A denial stands; what waits is withdrawn, as no one could
 * say what was approved, and is proposed again if its rule still wants the action.
 */
function ofThisVersion(proposal: Proposal): Proposal {
  const { digest, proposedAt: at, denial }: Partial<Proposal> & { proposedAt: Instant } = proposal;
  if (digest !== undefined) return proposal;
  const call = { endpoint: "" as ActEndpoint, args: {} };
  return {
    ...proposal,
    shown: { rule: "", call, facts: {} },
    digest: "",
    approvals: [],
    former: [],
    announcement: { dueAt: at, times: 1, lastAt: at, isDone: true },
    ...(denial === undefined && {
      withdrawn: { at, why: "an earlier version did not keep what it showed" },
    }),
  };
}

/** There is a gap since the last commit: what was known then is unknown until it is read again. */
export function* markAllUnknown(draft: Draft): Slices {
  const { tables } = draft.state;
  const lastAt = tables.counter.get("at") ?? draft.at;
  forgetAllApplied(draft.state);
  yield* eachInSlices(tables.entity, ([key, entity]) => {
    if (entity.unknownSince !== undefined || isDerived(draft.policy, entity.kind)) return;
    becomeUnread(draft, key, entity, lastAt);
  });
  forgetUnreadWithoutEntities(draft);
  yield* eachInSlices(tables.alert, ([key, alert]) => {
    if (alert.state === "resolved" || alert.unknownSince !== undefined) return;
    // What is gone is surely gone: no reading would ever make its alert known again.
    if (!tables.entity.has(entityKey(alert.entity))) return;
    alert.unknownSince = lastAt;
    touch(draft, "alert", key);
  });
}

/** What the core made itself was never read from outside. */
export function isDerived({ kinds }: Pick<Policy, "kinds">, kind: string): boolean {
  return kind === REPAIR_KIND || kinds.get(kind)?.derived === true;
}

/** Says what was too much for the limits when the journal was read. */
export function noteRestored({ state, findings }: Draft): void {
  for (const [group, count] of state.leftOut) {
    const [aggregator = "", kind = ""] = group.split("/");
    findings.push({ type: "left_out", aggregator, kind, why: "restored", count });
  }
  state.leftOut.clear();
}

/** Kinds that no single poller gives. */
const OF_AGGREGATOR: ReadonlySet<string> = new Set([REPAIR_KIND, AGGREGATOR_KIND]);

/** Entities of aggregators and pollers that are not configured any more have ended. */
export function* forgetUnwatched(draft: Draft, affected: Affected): Slices {
  const watched = isWatched(draft.policy);
  const aggregators = new Set(draft.policy.aggregators.map(({ name }) => name));
  // If the number of units changed, pollers have other ids, though their surfaces are watched.
  const pollers = new Set(
    draft.policy.aggregators.flatMap(({ name, pollers: own }) =>
      own.map((poller) => pollerKey(name, poller)),
    ),
  );
  yield* eachInSlices(draft.state.tables.entity, ([key, { kind, surface }]) => {
    const { aggregator, poller } = parseSurfaceKey(surface);
    const isOwn = OF_AGGREGATOR.has(kind) && aggregators.has(aggregator);
    const isHere = kind === POLLER_KIND ? pollers.has(key) : isOwn || watched(aggregator, poller);
    if (!isHere) forget(draft, key, affected, "unwatched");
  });
  forgetBaselines(draft, aggregators);
}

/** Whether a poller of an aggregator is configured. */
export function isWatched(policy: Policy): (aggregator: string, poller: string) => boolean {
  const watched = new Set(
    policy.aggregators.flatMap(({ name, pollers }) =>
      pollers.map((poller) => `${name}/${poller.name}`),
    ),
  );
  return (aggregator, poller) => watched.has(`${aggregator}/${poller}`);
}
