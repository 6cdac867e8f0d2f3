import type { Expectation, ExpectedAlert } from "../file/rule-test.ts";
import { statusOf } from "../../core/explain/status.ts";
import type { EntityId } from "../../domain/entity.ts";
import { AGGREGATOR } from "./scripted-aggregator.ts";
import type { Harness } from "./harness.ts";

/** Which list of an expectation. */
export type ListName = "alerts" | "remediations" | "suppressed";

/** One thing that is expected or there: its name and entity, and what can be said of it. */
export type Item = {
  readonly name: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** One line of a comparison; the sides are the same where what was said of it is so. */
export type Row = {
  readonly expected: Item | undefined;
  readonly got: Item | undefined;
  readonly same: boolean;
};

export type Comparison = { readonly list: ListName; readonly rows: readonly Row[] };

/** Compares what is expected with what is there; gives the lists that are not as expected. */
export function compare(harness: Harness, expectation: Expectation): readonly Comparison[] {
  const { alerts, remediations, suppressed } = expectation;
  const lists: ReadonlyArray<readonly [ListName, readonly Item[] | undefined, readonly Item[]]> = [
    ["alerts", alerts?.map(alertItem), gotAlerts(harness, alerts ?? [])],
    [
      "remediations",
      remediations?.map(({ action, ...said }) => itemOf(action, said)),
      gotRemediations(harness),
    ],
    [
      "suppressed",
      suppressed?.map(({ alert, ...said }) => itemOf(alert, said)),
      gotSuppressed(harness),
    ],
  ];
  return lists.flatMap(([list, expected, got]) => {
    if (expected === undefined) return [];
    const rows = pair(expected, got);
    return rows.every(({ same }) => same) ? [] : [{ list, rows }];
  });
}

/** The entity that an item of a list is about. */
export function entityOf(harness: Harness, list: ListName, { name, id }: Item): EntityId {
  const rule = list === "remediations" ? undefined : harness.policy.rules.get(name);
  const action = [...harness.policy.actions.values()].find((one) => one.name === name);
  return { aggregator: AGGREGATOR, kind: rule?.kind ?? action?.kind ?? "", id };
}

/** A resolved alert is kept for a while; it is compared only if it is expected. */
function gotAlerts(harness: Harness, expected: readonly ExpectedAlert[]): readonly Item[] {
  return statusOf(harness.policy, harness.state)
    .alerts.filter(
      ({ state, rule, entity }) =>
        state !== "resolved" ||
        expected.some(
          (one) => one.state === "resolved" && one.alert === rule && one.id === entity.id,
        ),
    )
    .map(({ rule: alert, entity, state, severity, unknownSince, inhibitedBy, ...rest }) =>
      alertItem({
        alert,
        id: entity.id,
        state,
        severity,
        unknown: unknownSince !== undefined,
        muted: inhibitedBy.length > 0,
        labels: rest.labels,
        annotations: rest.annotations,
      }),
    );
}

function gotRemediations({ state }: Harness): readonly Item[] {
  return [...state.tables.remediation.values()].map(({ action, entity, state: reached }) =>
    itemOf(action, { id: entity.id, state: reached }),
  );
}

function gotSuppressed({ state }: Harness): readonly Item[] {
  return [...state.tables.alert.values()].flatMap(({ rule, entity, suppressed }) =>
    suppressed === undefined ? [] : [itemOf(rule, { id: entity.id, reason: suppressed.reason })],
  );
}

function alertItem({ alert, labels, annotations, ...said }: ExpectedAlert): Item {
  const { name, id, fields } = itemOf(alert, said);
  return {
    name,
    id,
    fields: { ...fields, ...prefixed("labels", labels), ...prefixed("annotations", annotations) },
  };
}

function prefixed(prefix: string, texts: Readonly<Record<string, string>> = {}) {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`${prefix}.${name}`, text]),
  );
}

type Said = { readonly id: string } & Readonly<Record<string, string | boolean | undefined>>;

function itemOf(name: string, { id, ...said }: Said): Item {
  const entries = Object.entries(said).filter(([, value]) => value !== undefined);
  return {
    name,
    id,
    fields: Object.fromEntries(entries.map(([key, value]) => [key, String(value)])),
  };
}

/** Pairs each expected item with one of the same name and entity, the best fitting first. */
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

function fitsAll(expected: Item, got: Item): boolean {
  return Object.entries(expected.fields).every(([key, value]) => got.fields[key] === value);
}
