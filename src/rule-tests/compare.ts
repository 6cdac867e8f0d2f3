import type { Expectation, ExpectedAlert } from "./rule-test.ts";
import { statusOf } from "../core/explain/status.ts";
import type { EntityId } from "../domain/entity.ts";
import { AGGREGATOR } from "./aggregator.ts";
import type { ScriptedWorld } from "./world.ts";

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
export function compare(world: ScriptedWorld, expectation: Expectation): readonly Comparison[] {
  const { alerts, remediations, suppressed } = expectation;
  const lists: ReadonlyArray<readonly [ListName, readonly Item[] | undefined, readonly Item[]]> = [
    ["alerts", alerts?.map(alertItem), gotAlerts(world, alerts ?? [])],
    [
      "remediations",
      remediations?.map(({ action, ...said }) => itemOf(action, said)),
      gotRemediations(world),
    ],
    [
      "suppressed",
      suppressed?.map(({ alert, ...said }) => itemOf(alert, said)),
      gotSuppressed(world),
    ],
  ];
  return lists.flatMap(([list, expected, got]) => {
    if (expected === undefined) return [];
    const rows = pair(expected, got);
    return rows.every(({ same }) => same) ? [] : [{ list, rows }];
  });
}

/** The entity that an item of a list is about. */
export function entityOf(world: ScriptedWorld, list: ListName, { name, id }: Item): EntityId {
  const rule = list === "remediations" ? undefined : world.policy.rules.get(name);
  const action = [...world.policy.actions.values()].find((one) => one.name === name);
  return { aggregator: AGGREGATOR, kind: rule?.kind ?? action?.kind ?? "", id };
}

/** A resolved alert stays in sight for a while; it is looked at only where it is expected. */
function gotAlerts(world: ScriptedWorld, expected: readonly ExpectedAlert[]): readonly Item[] {
  return statusOf(world.policy, world.state)
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

function gotRemediations({ state }: ScriptedWorld): readonly Item[] {
  return [...state.tables.remediation.values()].map(({ action, entity, state: reached }) =>
    itemOf(action, { id: entity.id, state: reached }),
  );
}

function gotSuppressed({ state }: ScriptedWorld): readonly Item[] {
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
