import { html, type Markup } from "../element.ts";
import type { EntitiesJson, Entity } from "../data/answers.ts";
import { view } from "../data/store.ts";
import { FactList } from "../parts/facts.ts";
import { FilteredList, type FilteredListOf } from "../parts/filtered-list.ts";
import { Choice } from "../parts/filters.ts";
import type { Column } from "../parts/long-list.ts";
import { Ago, Badge, EntityCell } from "../parts/small.ts";
import { keyOf } from "../text/words.ts";

const COLUMNS: readonly Column[] = [
  { head: "Condition", width: "7rem" },
  { head: "Kind", width: "7rem" },
  { head: "Entity", width: "minmax(10rem, 1fr)" },
  { head: "Status", width: "8rem" },
  { head: "Since", width: "7rem" },
  { head: "Facts", width: "minmax(8rem, 3fr)", isLesser: true },
];

/** What is watched, filtered by the address; what is bad comes first. */
export function EntitiesView(): Markup {
  return html`<${FilteredList} list=${LIST} />`;
}

const LIST: FilteredListOf<EntitiesJson, Entity> = {
  label: "Entities",
  one: "entity",
  many: "entities",
  path: "api/v1/entities",
  query: { limit: "500", sort: "condition" },
  topic: "entities",
  filters: ["aggregator", "kind", "status", "condition", "text"],
  fieldsOf: ({ last }) => {
    const counts = last?.counts ?? [];
    const { kind: chosen } = view.value.filters;
    const own = counts.filter(({ kind }) => chosen === undefined || kind === chosen);
    const statuses = [...new Set(own.flatMap((count) => Object.keys(count.statuses)))];
    return html`<${Choice} name="kind" label="Kind" choices=${counts.map(({ kind }) => kind)} />
      <${Choice} name="condition" label="Condition" choices=${["bad", "unknown", "ok"]} />
      <${Choice} name="status" label="Status" choices=${statuses} />`;
  },
  columns: COLUMNS,
  rowsOf: ({ entities }) => entities,
  keyOf,
  cellsOf,
};

function cellsOf(entity: Entity): readonly unknown[] {
  const { kind, condition, status, since, facts } = entity;
  const { status: _status, name: _name, alias: _alias, ...others } = facts;
  return [
    html`<${Badge} word=${condition} />`,
    kind,
    html`<${EntityCell} entity=${entity} facts=${facts} />`,
    status ?? "seen",
    html`<${Ago} at=${since} />`,
    html`<${FactList} facts=${others} id=${entity.id} />`,
  ];
}
