import { html, type Markup } from "../element.ts";
import { usePages, type Listed, type Pages } from "../data/pages.ts";
import { aggregators, view } from "../data/store.ts";
import { counted } from "../text/words.ts";
import { Choice, FilterBar } from "./filters.ts";
import { LongList, type Column } from "./long-list.ts";

/** A list of the API, filtered by the address, and how it is shown. */
export type FilteredListOf<Page extends ListPage, Row> = Omit<Listed<Page, Row>, "path"> & {
  readonly label: string;
  readonly one: string;
  readonly many?: string;
  /** Of the API, and what is always asked of it. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** What of the address goes into the query. */
  readonly filters: readonly string[];
  /** The fields to choose filters in, besides that for a text. */
  readonly fieldsOf: (pages: Pages<Page, Row>) => Markup;
  readonly columns: readonly Column[];
  readonly cellsOf: (row: Row) => readonly unknown[];
};

type ListPage = { readonly next: string | null; readonly total: number };

export function FilteredList<Page extends ListPage, Row extends object>(properties: {
  readonly list: FilteredListOf<Page, Row>;
}): Markup {
  const { list } = properties;
  const { label, one, many, path, filters: names, fieldsOf, columns, cellsOf } = list;
  const { filters } = view.value;
  const query = new URLSearchParams(list.query);
  for (const name of names) if (filters[name] !== undefined) query.set(name, filters[name]);
  const pages = usePages<Page, Row>({ ...list, path: `${path}?${query}` });
  const { last, rows, problem, more } = pages;
  const total = last?.total ?? 0;
  return html`<${FilterBar}
      label=${label}
      said=${last === undefined ? "" : counted(total, one, many)}
    >
      ${fieldsOf(pages)}
      ${
        names.includes("aggregator") &&
        aggregators.value.length > 1 &&
        html`<${Choice} name="aggregator" label="Aggregator" choices=${aggregators.value} />`
      }
    <//>
    ${problem !== undefined && html`<p class="banner">${problem}</p>`}
    <${LongList}
      label=${label}
      columns=${columns}
      rows=${rows}
      total=${total}
      more=${more}
      none=${last !== undefined && `No ${one} fits.`}
      keyOf=${list.keyOf}
      cellsOf=${cellsOf}
    />`;
}
