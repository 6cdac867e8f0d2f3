import { entityKey } from "../domain/entity.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { ActionRun, AlertRun, Outcome } from "./outcome.ts";

/** How two outcomes of the same record differ. */
export type Difference = {
  readonly alerts: Sides<AlertRun>;
  readonly actions: Sides<ActionRun>;
  /** Alerts that both have, but at different instants of the report. */
  readonly moved: ReadonlyArray<{ readonly rules: AlertRun; readonly against: AlertRun }>;
};

/** `more`: the items that only the first side has. `fewer`: those that only the other side has. */
type Sides<Item> = { readonly more: readonly Item[]; readonly fewer: readonly Item[] };

/** The time of the report; instants that differ by the slack at the most are the same. */
type Span = { readonly since: Instant; readonly until: Instant; readonly slackMs?: Millis };

/**
 * Two alerts are the same if their rules and entities are, and their times overlap. Two actions are the same if their
 * names and entities are; they are paired in the order in which they were sent.
 */
export function differenceOf(rules: Outcome, against: Outcome, span: Span): Difference {
  const moved: Array<{ rules: AlertRun; against: AlertRun }> = [];
  const alerts = match(rules.alerts, against.alerts, nameOfAlert, overlap, (one, other) => {
    if (isMoved(one, other, span)) moved.push({ rules: one, against: other });
  });
  const actions = match(
    rules.actions,
    against.actions,
    nameOfAction,
    () => true,
    () => undefined,
  );
  return { alerts, actions, moved };
}

/** Instants outside the report make no difference. */
function isMoved(one: AlertRun, other: AlertRun, { since, until, slackMs = 0 }: Span): boolean {
  const instantsOf = ({ firedAt, resolvedAt = until }: AlertRun): readonly Instant[] => [
    Math.max(firedAt, since),
    Math.min(resolvedAt, until),
  ];
  const others = instantsOf(other);
  return instantsOf(one).some((at, index) => Math.abs(at - (others[index] ?? at)) > slackMs);
}

export function isDifferent({ alerts, actions, moved }: Difference): boolean {
  const counts = [alerts.more, alerts.fewer, actions.more, actions.fewer, moved];
  return counts.some(({ length }) => length > 0);
}

function match<Item>(
  ones: readonly Item[],
  others: readonly Item[],
  nameOf: (item: Item) => string,
  isSame: (one: Item, other: Item) => boolean,
  onSame: (one: Item, other: Item) => void,
): Sides<Item> {
  const left = Map.groupBy(others, nameOf);
  const more = ones.filter((one) => {
    const same = left.get(nameOf(one)) ?? [];
    const index = same.findIndex((other) => isSame(one, other));
    const [other] = index === -1 ? [] : same.splice(index, 1);
    if (other !== undefined) onSame(one, other);
    return other === undefined;
  });
  const fewer = new Set([...left.values()].flat());
  return { more, fewer: others.filter((other) => fewer.has(other)) };
}

function nameOfAlert({ rule, entity }: AlertRun): string {
  return `${rule}|${entityKey(entity)}`;
}

function nameOfAction({ action, entity }: ActionRun): string {
  return `${action}|${entityKey(entity)}`;
}

function overlap(one: AlertRun, other: AlertRun): boolean {
  const endOf = ({ resolvedAt = Infinity }: AlertRun): number => resolvedAt;
  return one.startedAt <= endOf(other) && other.startedAt <= endOf(one);
}
