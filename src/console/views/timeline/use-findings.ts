import { useEffect, useRef } from "preact/hooks";
import type { Alert, AlertsJson, TimelineJson, HappenedRow } from "../../data/answers.ts";
import { usePages, type Pages } from "../../data/pages.ts";
import { now, shownAt, view } from "../../data/store.ts";
import { useAnswer } from "../../data/use-answer.ts";
import type { Span } from "../../text/span.ts";
import { isNamed, isStart, lastingPolls } from "../../text/timeline.ts";
import { keyOf as entityKey } from "../../text/words.ts";

/** What was found in the last day, or around a span of which that is not all. */
export type Findings = Pages<TimelineJson, HappenedRow> & {
  /** All that was found of what has the words of the filter in its name, so that no end of a life is missing. */
  readonly named: readonly HappenedRow[];
  /** The alerts that last at the end of that: what is known of them may be older than all findings. */
  readonly active: readonly Alert[];
  /** What was found last, before all that, of the pollers that did not read all then. */
  readonly lasting: readonly HappenedRow[];
  /** Of those, what was found before this was not looked at, as there is too much. */
  readonly lastingSince: number | undefined;
};

/** The most that a page of the API has. */
const PAGE = "1000";
/** More pages are neither drawn nor read again. */
export const MOST_PAGES = 10;

/** `span` is what is shown, and may be undefined for all of the last day. */
export function useFindings(span: Span | undefined): Findings {
  const { text, types } = view.value.filters;
  // A restart ends what is known of pollers.
  const query = { limit: PAGE, ...(types !== undefined && { types: `${types},restart` }) };
  const listed = usePart(span, { ...query, ...(text !== undefined && { text }) });
  const named = usePart(span, text === undefined ? undefined : { ...query, named: text });
  const whole = text === undefined ? listed : named;
  // In the past the whole view is of an instant already.
  const until = shownAt.value === undefined ? whole.until : undefined;
  const lasting = new URLSearchParams({ limit: PAGE, ...(until !== undefined && { at: until }) });
  if (text !== undefined) lasting.set("text", text);
  const path = types?.includes("alert") === false ? undefined : `api/v1/alerts?${lasting}`;
  const answer = useAnswer<AlertsJson>(path);
  const polls = useLastingPolls(whole.pages);
  const hasName = (subject: string, alias: string | null): boolean =>
    text === undefined || isNamed(text, { subject, alias });
  const { rows } = listed.pages;
  const found = {
    ...listed.pages,
    rows: rows.filter(({ type }) => types?.split(",").includes(type) !== false),
    more: () => {
      listed.pages.more();
      named.pages.more();
    },
    named: whole.pages.rows,
    active: (answer?.ok === true ? answer.value.alerts : []).filter(
      ({ alertname, entity, alias }) => hasName(`${alertname}|${entityKey(entity)}`, alias),
    ),
    lasting: polls.lasting.filter(({ subject, alias }) => hasName(subject, alias)),
    lastingSince: polls.lastingSince,
  };
  // While another span is read, the last one stays to be seen.
  const at = shownAt.value;
  const ready = useRef({ at, found });
  const isRead = polls.isRead && (answer !== undefined || path === undefined);
  // But nothing of another instant does.
  if (at !== ready.current.at || (isRead && listed.isRead && whole.isRead))
    ready.current = { at, found };
  return ready.current.found;
}

/** The pages of the last day, or around a span of which that is not all. Undefined: nothing is asked for. */
function usePart(span: Span | undefined, query: Readonly<Record<string, string>> | undefined) {
  const day = usePages(pagesOf(query));
  const isTold = span === undefined || day.last === undefined || toldSince(day) <= span.from;
  const around = isTold ? undefined : widened(span);
  const part = usePages(pagesOf(around && { ...around, ...query }));
  const isPart = part.last !== undefined;
  const pages = isPart ? part : day;
  const isAnswered = pages.last !== undefined || pages.problem !== undefined;
  return {
    pages,
    until: isPart ? around?.until : undefined,
    isRead: (isTold || isPart) && isAnswered,
  };
}

/** A poller that fails for longer is not looked for. */
const LOOKED_BACK = 7 * 24 * 60 * 60_000;
/** The same is asked for so long, as all that was found begins later with every answer. */
const ASKED_AGAIN = 10 * 60_000;

/** Pollers that did not read all when what was found begins. */
function useLastingPolls(pages: Pages<TimelineJson, HappenedRow>) {
  const { types } = view.value.filters;
  const since = toldSince(pages);
  const kept = Date.parse(pages.last?.kept_since ?? "");
  const isWanted = types === undefined || types === "polled";
  let path: string | undefined;
  if (isWanted && kept <= since) {
    const until = Math.ceil(since / ASKED_AGAIN) * ASKED_AGAIN;
    const from = Math.max(kept, until - LOOKED_BACK);
    const span = { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
    path = `api/v1/timeline?${new URLSearchParams({ limit: PAGE, types: "polled,restart", ...span })}`;
  }
  const { last, rows, problem, count, more } = usePages({ path, rowsOf, keyOf, isPast: true });
  // One that fails for days may stand behind thousands of findings of another.
  const isOlder = last !== undefined && last.next !== null && !rows.some(isStart);
  const isMore = isOlder && count < MOST_PAGES;
  useEffect(() => {
    if (isMore) more();
  }, [isMore, rows.length, more]);
  // Of the very instant at which a page ends, some were found.
  const isFound = (row: HappenedRow): boolean =>
    pages.rows.some((one) => one.at === row.at && keyOf(one) === keyOf(row));
  return {
    lasting: lastingPolls(
      rows.filter((row) => Date.parse(row.at) < since || !isFound(row)),
      since,
    ),
    lastingSince: isOlder ? Date.parse(rows.at(-1)?.at ?? "") : undefined,
    isRead: path === undefined || problem !== undefined || (last !== undefined && !isMore),
  };
}

function pagesOf(query: Readonly<Record<string, string>> | undefined) {
  const path = query && `api/v1/timeline?${new URLSearchParams(query).toString()}`;
  return { path, rowsOf, keyOf };
}

/** Since when all that was found is there. */
function toldSince({ last, rows }: Pages<TimelineJson, HappenedRow>): number {
  const since = (last?.next ?? null) === null ? last?.from : rows.at(-1)?.at;
  return Date.parse(since ?? "");
}

/** So that what is beside it is there when it is moved. */
function widened({ from, until }: Span): { readonly from: string; readonly until?: string } {
  const room = until - from;
  const text = (at: number): string => new Date(at).toISOString();
  return {
    // The same for a while, though the span goes on with the time.
    from: text(Math.floor(from / room - 1) * room),
    // What is up to now goes on.
    ...(until + room < now.value && { until: text(until + room) }),
  };
}

function rowsOf({ rows }: TimelineJson): readonly HappenedRow[] {
  return rows;
}

export function keyOf({ at, type, subject, what }: HappenedRow): string {
  return `${at} ${type} ${subject} ${what}`;
}
