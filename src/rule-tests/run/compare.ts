import { itemOf, type Expectation, type Item, type ListName } from "../file/rule-test.ts";
import { statusOf } from "../../core/explain/status.ts";
import type { EntityId } from "../../domain/entity.ts";
import { AGGREGATOR } from "./scripted-aggregator.ts";
import type { Harness } from "./harness.ts";

/** One row of a comparison; `same` if all expected fields are equal. */
export type Row = {
  readonly expected: Item | undefined;
  readonly got: Item | undefined;
  readonly same: boolean;
};

export type Comparison = { readonly list: ListName; readonly rows: readonly Row[] };

/** Compares the expected lists with the actual ones; gives the lists that differ. */
export function compare(harness: Harness, { lists }: Expectation): readonly Comparison[] {
  return [...lists].flatMap(([list, expected]) => {
    const got = GOT[list](harness, expected);
    const rows = list === "remediations" ? inOrder(expected, got) : pair(expected, got);
    return rows.every(({ same }) => same) ? [] : [{ list, rows }];
  });
}

const GOT: Readonly<
  Record<ListName, (harness: Harness, expected: readonly Item[]) => readonly Item[]>
> = { alerts: gotAlerts, remediations: gotRemediations, suppressed: gotSuppressed };

/** The entity that an item of a list is about. */
export function entityOf(harness: Harness, list: ListName, { name, id }: Item): EntityId {
  const rule = list === "remediations" ? undefined : harness.policy.rules.get(name);
  const action = [...harness.policy.actions.values()].find((one) => one.name === name);
  return { aggregator: AGGREGATOR, kind: rule?.kind ?? action?.kind ?? "", id };
}

/** The state keeps a resolved alert for a while; it is compared only if it is expected. */
function gotAlerts(harness: Harness, expected: readonly Item[]): readonly Item[] {
  return statusOf(harness.policy, harness.state)
    .alerts.filter(
      ({ state, rule, entity }) =>
        state !== "resolved" ||
        expected.some(
          ({ name, id, fields }) =>
            fields["state"] === "resolved" && name === rule && id === entity.id,
        ),
    )
    .map(({ key, rule, entity, state, severity, unknownSince, inhibitedBy, labels }) =>
      itemOf(rule, entity.id, {
        state,
        severity,
        unknown: unknownSince !== undefined,
        muted: inhibitedBy.length > 0,
        labels,
        // Not those of the moment: an age in them shows when the alert began to fire.
        annotations: harness.state.tables.alert.get(key)?.annotations,
      }),
    );
}

function gotRemediations({ state: { tables } }: Harness): readonly Item[] {
  return [...tables.remediation.values()].map(({ action, entity, state }) =>
    itemOf(action, entity.id, { state }),
  );
}

function gotSuppressed({ state: { tables } }: Harness): readonly Item[] {
  return [...tables.alert.values()].flatMap(({ rule, entity, suppressed, keepFiringSince }) =>
    suppressed === undefined || keepFiringSince !== undefined
      ? []
      : [itemOf(rule, entity.id, { reason: suppressed.reason })],
  );
}

/** Pairs each expected item with an actual one of the same name and entity, equal ones first. */
function pair(expected: readonly Item[], got: readonly Item[]): readonly Row[] {
  const left = [...got];
  const takeLike = (item: Item, fits: (other: Item) => boolean): Item | undefined => {
    const index = left.findIndex(
      (other) => other.name === item.name && other.id === item.id && fits(other),
    );
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const exact = expected.map((item) => takeLike(item, (other) => fitsAll(item, other)));
  const rows = expected.map((item, index): Row => {
    const same = exact[index];
    if (same !== undefined) return { expected: item, got: same, same: true };
    return { expected: item, got: takeLike(item, () => true), same: false };
  });
  return [...rows, ...left.map((item): Row => ({ expected: undefined, got: item, same: false }))];
}

/** Pairs as `pair` does; but if only the order differs, each item is paired with the one in its place. */
function inOrder(expected: readonly Item[], got: readonly Item[]): readonly Row[] {
  const rows = pair(expected, got);
  if (!rows.every(({ same }) => same)) return rows;
  return expected.map((item, place): Row => {
    const other = got[place];
    const isOne = other?.name === item.name && other.id === item.id;
    return { expected: item, got: other, same: isOne && fitsAll(item, other) };
  });
}

function fitsAll(expected: Item, got: Item): boolean {
  return Object.entries(expected.fields).every(([key, value]) => got.fields[key] === value);
}
