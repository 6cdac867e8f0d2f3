import { signal } from "@preact/signals";
import { isValidElement } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { visibleRows } from "./visible-rows.ts";

export type Column = {
  readonly head: string;
  readonly width: string;
  /** It is left out if the screen is not wide enough for all. */
  readonly isLesser?: boolean;
};

/**
 * A list of any length, of which only the rows that can be seen are drawn. All rows are equally high; the page
 * scrolls as if all of them were there.
 */
export function LongList<Row>(properties: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** How many there are, with those that are not loaded yet. */
  readonly total: number;
  readonly keyOf: (row: Row) => string;
  readonly cellsOf: (row: Row) => readonly unknown[];
  readonly more: () => void;
  /** What is said once it is known that there is no row. */
  readonly none: string | false;
}): Markup {
  const { label, columns, rows, total, keyOf, cellsOf, more, none } = properties;
  const list = useRef<HTMLDivElement>(null);
  const [{ from, until }, rowHeight] = useVisible(list, total);
  const isShort = until > rows.length && rows.length < total;
  useEffect(() => {
    if (isShort) more();
  }, [isShort, rows.length, more]);
  const shown = rows.slice(from, until);
  return html`${total === 0 && none !== false && html`<p class="quiet">${none}</p>`}
    <div
      class="list"
      style=${widthsOf(columns)}
      role="table"
      aria-label=${label}
      aria-rowcount=${total + 1}
    >
      <div role="rowgroup">
        <div class="row heads" role="row" aria-rowindex="1">
          ${columns.map(
            (column) =>
              html`<span role="columnheader" class=${classOf(column)}>${column.head}</span>`,
          )}
        </div>
      </div>
      <div role="rowgroup" ref=${list} class="rows" style=${{ height: `${total * rowHeight}px` }}>
        ${shown.map(
          (row, index) =>
            html`<div
              class="row"
              role="row"
              key=${keyOf(row)}
              aria-rowindex=${from + index + 2}
              style=${{ height: `${rowHeight}px`, top: `${(from + index) * rowHeight}px` }}
            >
              ${cellsOf(row).map(
                (cell, at) =>
                  html`<span role="cell" class=${classOf(columns[at])} title=${wholeOf(cell)}
                    >${cell}</span
                  >`,
              )}
            </div>`,
        )}
      </div>
    </div>`;
}

function widthsOf(columns: readonly Column[]): Readonly<Record<string, string>> {
  const text = (own: readonly Column[]): string => own.map(({ width }) => width).join(" ");
  const fewer = columns.filter(({ isLesser }) => isLesser !== true);
  return { "--columns": text(columns), "--fewer": text(fewer) };
}

function classOf(column: Column | undefined): string | undefined {
  return column?.isLesser === true ? "lesser" : undefined;
}

/** A text, or a `Sentence`, may be longer than its column is wide. */
function wholeOf(cell: unknown): string | undefined {
  if (typeof cell === "string") return cell;
  const own: object = isValidElement(cell) ? cell.props : {};
  return "text" in own && typeof own.text === "string" ? own.text : undefined;
}

const ROW = 34;
/** On a narrow screen a row has a second line. */
const NARROW_ROW = 58;
const narrow = matchMedia("(max-width: 52rem)");
const isNarrowNow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrowNow.value = narrow.matches;
});

/** A screen on which rows have two lines, as in the style. A phone may be turned. */
export function isNarrow(): boolean {
  return isNarrowNow.value;
}

function useVisible(list: { readonly current: HTMLElement | null }, total: number) {
  const rowHeight = isNarrow() ? NARROW_ROW : ROW;
  const [visible, setVisible] = useState({ from: 0, until: 60 });
  useEffect(() => {
    const look = (): void => {
      const above = -(list.current?.getBoundingClientRect().top ?? 0);
      const next = visibleRows({ rows: total, rowHeight, above, height: innerHeight });
      setVisible((old) => (old.from === next.from && old.until === next.until ? old : next));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [total, rowHeight]);
  return [visible, rowHeight] as const;
}
