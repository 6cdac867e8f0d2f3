import { useRef } from "preact/hooks";
import type { Alert, Alerts, Happened, HappenedRow } from "../../data/answers.ts";
import { usePages, type Pages } from "../../data/pages.ts";
import { now, shownAt, view } from "../../data/store.ts";
import { useAnswer, type Path } from "../../data/use-answer.ts";
import type { Span } from "../../text/span.ts";

/** What was found in the last day, or around a span of which that does not tell all. */
export type Findings = Pages<Happened, HappenedRow> & {
  /** The alerts that last at the end of that: what is known of them may be older than all findings. */
  readonly active: readonly Alert[];
};

/** The most that a page of the API has. */
const PAGE = "1000";

/** `span` is what is shown, and may be undefined for all of the last day. */
export function useFindings(span: Span | undefined): Findings {
  const { text, types } = view.value.filters;
  const query = { ...(text !== undefined && { text }), ...(types !== undefined && { types }) };
  const day = usePages(pagesOf({ limit: PAGE, ...query }));
  const isTold = span === undefined || day.last === undefined || toldSince(day) <= span.from;
  const around = isTold ? undefined : widened(span);
  const part = usePages(pagesOf(around && { limit: PAGE, ...around, ...query }));
  const isPart = part.last !== undefined;
  // In the past the whole view is of an instant already.
  const until = isPart && shownAt.value === undefined ? around?.until : undefined;
  const lasting = new URLSearchParams({ limit: PAGE, ...(until !== undefined && { at: until }) });
  if (text !== undefined) lasting.set("text", text);
  const path: Path<Alerts> | undefined =
    types?.includes("alert") === false ? undefined : `api/v1/alerts?${lasting}`;
  const answer = useAnswer(path);
  const found = {
    ...(isPart ? part : day),
    active: answer?.ok === true ? answer.value.alerts : [],
  };
  // While another span is read, the last one stays to be seen.
  const ready = useRef<Findings>(found);
  if ((isTold || isPart) && (answer !== undefined || path === undefined)) ready.current = found;
  return ready.current;
}

function pagesOf(query: Readonly<Record<string, string>> | undefined) {
  const path: Path<Happened> | undefined =
    query && `api/v1/timeline?${new URLSearchParams(query).toString()}`;
  return { path, rowsOf, keyOf };
}

/** Since when all that was found is there. */
function toldSince({ last, rows }: Pages<Happened, HappenedRow>): number {
  const since = (last?.next ?? null) === null ? last?.from : rows.at(-1)?.at;
  return Date.parse(since ?? "");
}

/** So that what is beside it is there when it is moved. */
function widened({ from, until }: Span): { readonly from: string; readonly until?: string } {
  const room = until - from;
  const text = (at: number): string => new Date(at).toISOString();
  return {
    from: text(from - room),
    // What is up to now goes on.
    ...(until + room < now.value && { until: text(until + room) }),
  };
}

function rowsOf({ rows }: Happened): readonly HappenedRow[] {
  return rows;
}

export function keyOf({ at, type, subject, what }: HappenedRow): string {
  return `${at} ${type} ${subject} ${what}`;
}
