import { html, type Markup } from "../element.ts";
import type { Entities, Entity } from "../data/answers.ts";
import { usePages } from "../data/pages.ts";
import { view } from "../data/store.ts";
import type { Path } from "../data/use-answer.ts";
import { FactList } from "../parts/facts.ts";
import { Choice, FilterBar } from "../parts/filters.ts";
import { LongList, type Column } from "../parts/long-list.ts";
import { Ago, Badge, EntityLink } from "../parts/small.ts";
import { counted, keyOf } from "../text/words.ts";

const COLUMNS: readonly Column[] = [
  { head: "Condition", width: "7rem" },
  { head: "Kind", width: "7rem" },
  { head: "Entity", width: "minmax(10rem, 1fr)" },
  { head: "Status", width: "8rem" },
  { head: "Since", width: "7rem" },
  { head: "Facts", width: "minmax(8rem, 3fr)", isLesser: true },
];

const FILTERS = ["aggregator", "kind", "status", "condition", "text"];
const PAGE = 500;

/** What is watched, filtered by the address; what is bad comes first. */
export function EntitiesView(): Markup {
  const { filters } = view.value;
  const query = new URLSearchParams({ limit: String(PAGE), sort: "condition" });
  for (const name of FILTERS) if (filters[name] !== undefined) query.set(name, filters[name]);
  const path: Path<Entities> = `api/v1/entities?${query}`;
  const { last, rows, problem, more } = usePages({ path, topic: "entities", rowsOf, keyOf });
  const counts = last?.counts ?? [];
  const own = counts.filter(
    ({ kind }) => filters["kind"] === undefined || kind === filters["kind"],
  );
  const statuses = [...new Set(own.flatMap((count) => Object.keys(count.statuses)))];
  const total = last?.total ?? 0;
  const said = last === undefined ? "" : counted(total, "entity", "entities");
  return html`<${FilterBar} label="Entities" said=${said}>
      <${Choice} name="kind" label="Kind" choices=${counts.map(({ kind }) => kind)} />
      <${Choice} name="condition" label="Condition" choices=${["bad", "unknown", "ok"]} />
      <${Choice} name="status" label="Status" choices=${statuses} />
    <//>
    ${problem !== undefined && html`<p class="banner">${problem}</p>`}
    <${LongList}
      label="Entities"
      columns=${COLUMNS}
      rows=${rows}
      total=${total}
      more=${more}
      none=${last !== undefined && "No entity fits."}
      keyOf=${keyOf}
      cellsOf=${cellsOf}
    />`;
}

function rowsOf({ entities }: Entities): readonly Entity[] {
  return entities;
}

function cellsOf(entity: Entity): readonly unknown[] {
  const { kind, condition, status, since, facts } = entity;
  const { status: _status, name: _name, alias: _alias, ...others } = facts;
  return [
    html`<${Badge} word=${condition} />`,
    kind,
    html`<${EntityLink} entity=${entity} facts=${facts} />`,
    status ?? "seen",
    html`<${Ago} at=${since} />`,
    html`<${FactList} facts=${others} id=${entity.id} />`,
  ];
}
