import { entityKey, type Entity } from "../../domain/entity.ts";
import { formatInstant, MINUTE } from "../../domain/time.ts";
import { watchedPoller } from "../../core/policy.ts";
import { longestInterval } from "../ledger/watched-pollers.ts";
import type { Ended } from "../run-event.ts";
import { on } from "./checker.ts";

/** How long it may take until the last change is read. */
const READ_WITHIN = MINUTE;

/** At the end, everything is known, and matches the true state of the aggregators. */
export const truth = on("ended", "9 nothing hangs: truth", (end, { requests }) => {
  const isLate = (aggregator: string, target: string): boolean =>
    end.at - requests.lastChanged(aggregator, target) <= READ_WITHIN;
  return [...wrong(end, isLate), ...unknown(end), ...leftOver(end)];
});

function wrong(
  { truth: aggregators, state, policy, at }: Ended,
  isLate: (aggregator: string, target: string) => boolean,
): string[] {
  const found: string[] = [];
  for (const { aggregator, exchanges, disabledPairs, liquidations } of aggregators) {
    for (const { id, status, stuck } of liquidations) {
      const facts = state.tables.entity.get(
        entityKey({ aggregator, kind: "liquidation", id }),
      )?.facts;
      const isSettled = stuck && !isLate(aggregator, id) && facts?.["missing"] !== true;
      // In whatever case the status comes, the fact is the word of the settings, which has a meaning.
      if (facts === undefined || !isSettled || facts["status"] === status) continue;
      found.push(
        `${aggregator}/liquidation/${id} is taken for ${String(facts["status"])} at the end (${formatInstant(at)}), and is ${status}`,
      );
    }
    if (watchedPoller(policy, aggregator, "exchanges") === undefined) continue;
    const row = (kind: string, id: string): Entity | undefined =>
      state.tables.entity.get(entityKey({ aggregator, kind, id }));
    const end = `at the end (${formatInstant(at)})`;
    for (const { name, enabled } of exchanges) {
      if (isLate(aggregator, name)) continue;
      const status = row("exchange", name)?.facts["status"] ?? "not there";
      if (status === (enabled ? "enabled" : "disabled")) continue;
      found.push(
        `${aggregator}/exchange/${name} is taken for ${String(status)} ${end}, and is ${enabled ? "enabled" : "disabled"}`,
      );
    }
    for (const name of disabledPairs) {
      if (isLate(aggregator, name) || row("pair", name) !== undefined) continue;
      found.push(`${aggregator}/pair/${name} is not taken for disabled ${end}, and is`);
    }
    for (const { aggregator: on, kind, id } of state.tables.entity.values()) {
      if (on !== aggregator || kind !== "pair" || isLate(aggregator, id)) continue;
      if (!disabledPairs.includes(id))
        found.push(`${on}/pair/${id} is taken for disabled ${end}, and is not`);
    }
  }
  return found;
}

function unknown({ state, policy, at }: Ended): string[] {
  const patience = 2 * longestInterval(policy) + 2 * MINUTE;
  return [...state.tables.entity].flatMap(([key, { unknownSince, surface }]) => {
    // While a listing is cut, entities that are not in it stay unknown.
    const isCut = state.surfaces.get(surface)?.complete === false;
    if (unknownSince === undefined || isCut || state.at - unknownSince <= patience) return [];
    return [
      `nothing sure is known of ${key} since ${formatInstant(unknownSince)}, until the end (${formatInstant(at)})`,
    ];
  });
}

/** Kill switches, holds and alerts that should have ended by themselves. */
function leftOver({ state, at }: Ended): string[] {
  const end = `at the end (${formatInstant(at)})`;
  const found: string[] = [];
  for (const { source, since } of state.tables.kill.values()) {
    if (source === "operator" || source === "file") continue;
    found.push(`the kill switch (${source}) is on ${end}, since ${formatInstant(since)}`);
  }
  for (const { id, until } of state.tables.hold.values()) {
    if (state.at >= until)
      found.push(`the hold ${id} stands ${end}, and was until ${formatInstant(until)}`);
  }
  for (const { key, entity, state: is, keepFiringSince } of state.tables.alert.values()) {
    if (is === "resolved" || keepFiringSince !== undefined) continue;
    if (!state.tables.entity.has(entityKey(entity)))
      found.push(`${key} is ${is} ${end}, and its entity is gone`);
  }
  return found;
}
