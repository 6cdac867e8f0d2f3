import { setImmediate } from "node:timers/promises";
import { z } from "@hono/zod-openapi";
import type { Finding } from "../../../domain/finding.ts";
import { judges } from "../../../core/judge/verdict.ts";
import { covers, type Member, type Scope } from "../../../domain/hold.ts";
import type { Rule } from "../../../domain/rule.ts";
import { TIMELINE_TYPES, USUAL_TYPES } from "../../../domain/shown/timeline-types.ts";
import { DAY, type Instant } from "../../../domain/time.ts";
import type {
  JournalReading,
  NumberedFinding,
  PastPart,
  PastSpan,
  Restart,
} from "../../journal/past.ts";
import { alias } from "../answer-parts.ts";
import { documented, instant, list, object, orNull, text } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { findingFields, findingRowOf } from "../finding-row.ts";
import {
  atQuery,
  entityQuery,
  instantText,
  isAbout,
  isNamed,
  limitQuery,
  someOf,
  textMatcher,
  textQuery,
  wordQuery,
} from "../lists/query.ts";
import { NOT_OF_LIST, readCursor, writeCursor } from "../lists/select.ts";
import { aboutOf, aliasOf, placeOf, type Entities } from "./about-finding.ts";
import { membersNamed, type Known } from "./held-with.ts";

/** `GET /api/v1/timeline`: the findings and restarts of a span of time, from the journal. */

const row = object({
  ...findingFields,
  /** The rule, and the keys of the alert and of the entity that it is about. */
  alertname: orNull(text),
  alert: orNull(text),
  entity: orNull(text),
  alias,
  severity: orNull(text),
  startedAt: documented(orNull(instant), {
    description: "Of an alert that changed: since when it was bad.",
  }),
});

export const timelineAnswer = documented(
  object({
    from: instant,
    until: instant,
    keptSince: documented(orNull(instant), { description: "The journal looks back to here." }),
    rows: documented(list(row), { description: "The newest first." }),
    next: documented(orNull(text), {
      description: "The `cursor` of the next page; a page may have few rows if it was searched.",
    }),
  }),
  "Timeline",
);

export const timelineQuery = z.object({
  at: atQuery.openapi({ description: "Nothing after this instant, which is taken as now." }),
  from: instantText.optional().openapi({ description: "A day before `until` by default." }),
  until: instantText.optional().openapi({ description: "Now by default." }),
  types: someOf(TIMELINE_TYPES, 400),
  alertname: wordQuery,
  aggregator: wordQuery,
  kind: wordQuery,
  entity: entityQuery,
  text: textQuery,
  named: wordQuery.openapi({
    description: "Words that must all be in its subject or alias. Restarts are given, too.",
  }),
  limit: limitQuery,
  cursor: z
    .string()
    .max(400)
    .refine((text_) => cursorOf(text_) !== undefined, NOT_OF_LIST)
    .optional(),
});

type TimelineQuery = z.infer<typeof timelineQuery>;

/** The problem of a span that ends before it begins; undefined if it does not. */
export function spanProblem({ from, until }: TimelineQuery): string | undefined {
  if (from === undefined || until === undefined || Date.parse(from) <= Date.parse(until))
    return undefined;
  return `from: ${from} is later than until, ${until}`;
}

/** The findings that one search reads, some milliseconds' worth, and the most searches for a page. */
const SEARCHED_AT_ONCE = 1_000;
const MOST_SEARCHES = 200;

export async function timelineIn(
  journal: Pick<JournalReading, "between" | "restarts" | "reachesBackTo" | "historyOf">,
  now: Instant,
  query: TimelineQuery,
  known: Omit<Known, "until">,
): Promise<ValueOf<typeof timelineAnswer>> {
  const until = Math.min(now, query.until === undefined ? now : Date.parse(query.until));
  const from = query.from === undefined ? until - DAY : Date.parse(query.from);
  const asked = query.types ?? [...USUAL_TYPES, "restart" as const];
  const types = asked.filter((type) => type !== "restart");
  const before = query.cursor === undefined ? undefined : cursorOf(query.cursor);
  const { entity } = query;
  const members =
    entity === undefined ? [] : await membersNamed(entity, journal, { ...known, until });
  const isHeld = heldBy(
    members.filter((member) => isAbout({ ...query, entity: undefined }, member)),
    known.view.rules,
  );
  const matches = matcherOf(query, isHeld);
  const { entities } = known.view;
  const span = { from, until, before, types };
  const { matching, next } = await searched(journal, span, matches, query.limit, entities);
  const page = matching.slice(0, query.limit);
  const last = matching.length > page.length ? page.at(-1)?.one : next;
  const oldest = last?.at ?? from;
  const restarts = asked.includes("restart")
    ? await journal.restarts(oldest, before?.at ?? until)
    : [];
  const rows = [
    ...page.map(({ shown }) => shown),
    ...restarts
      // The next page may have others of the same instant, and has these.
      .filter(({ at }) => last === undefined || at > oldest)
      .map(restartRow)
      .filter((one) => matches(one)),
  ];
  return {
    from,
    until,
    keptSince: await journal.reachesBackTo(),
    rows: rows.toSorted((one, other) => other.at - one.at),
    next: last && writeCursor("timeline", { value: last.at, key: String(last.seq) }),
  };
}

type Matching = { readonly one: NumberedFinding; readonly shown: Row };

/** Rare findings among many others take long to find, so the event loop runs between searches. */
async function searched(
  journal: Pick<JournalReading, "between">,
  span: PastSpan,
  matches: Matcher,
  limit: number,
  entities: Entities,
): Promise<{ readonly matching: readonly Matching[]; readonly next: PastPart["next"] }> {
  const matching: Matching[] = [];
  let { before } = span;
  for (let search = 0; search < MOST_SEARCHES; search += 1) {
    const { found, next } = await journal.between({ ...span, before }, SEARCHED_AT_ONCE);
    for (const one of found) {
      const shown = rowOf(one, entities);
      if (matches(shown, one.finding)) matching.push({ one, shown });
    }
    before = next;
    if (next === undefined || matching.length > limit) break;
    await setImmediate();
  }
  return { matching, next: before };
}

type Row = ValueOf<typeof row>;

function cursorOf(text_: string): { readonly at: Instant; readonly seq: number } | undefined {
  const cursor = readCursor("timeline", text_);
  if (typeof cursor?.value !== "number" || !/^\d{1,15}$/.test(cursor.key)) return undefined;
  return { at: cursor.value, seq: Number(cursor.key) };
}

/** Whether a row is asked for; that of a restart has no finding. */
type Matcher = (one: Row, finding?: Finding) => boolean;

function matcherOf(query: TimelineQuery, isHeld: (finding?: Finding) => boolean): Matcher {
  const hasText = textMatcher(query.text);
  const hasName = textMatcher(query.named);
  return (one, finding) =>
    (query.alertname === undefined || query.alertname === one.alertname) &&
    (isOf(query, one, finding) || isHeld(finding)) &&
    // If aggwatch did not run, that concerns every subject.
    (one.type === "restart" || hasName(one.subject, { alias: one.alias })) &&
    hasText(one.subject, one);
}

function isOf({ aggregator, kind, entity }: TimelineQuery, one: Row, finding?: Finding): boolean {
  const place = finding === undefined ? {} : placeOf(finding);
  return (
    (aggregator === undefined || aggregator === place.aggregator) &&
    (kind === undefined || kind === place.kind) &&
    (entity === undefined || isNamed(entity, one.entity))
  );
}

/** Whether it is a hold that covers one that is asked for, and so says why that was left alone. */
function heldBy(
  members: readonly Member[],
  rules: Known["view"]["rules"],
): (finding?: Finding) => boolean {
  return (finding) => {
    if (finding?.type !== "hold") return false;
    const { scope } = finding.hold;
    const rule = rules.get(scope.rule ?? "");
    return members.some(
      (member) =>
        covers(scope, scope.rule ?? "", member) &&
        (rule === undefined || concerns(scope, rule, member)),
    );
  };
}

/** What a hold of a rule names is concerned, though the rule may judge only what belongs to it. */
function concerns({ kind, id }: Scope, rule: Rule, member: Member): boolean {
  const isNamedThere = kind !== undefined || id !== undefined;
  return judges(rule, member.aggregator) && (isNamedThere || rule.kind === member.kind);
}

function rowOf(found: NumberedFinding, entities: Entities): Row {
  const about = aboutOf(found.finding);
  return { ...findingRowOf(found), ...about, alias: aliasOf(entities, about.entity) };
}

function restartRow({ at, why }: Restart): Row {
  const what = why === "start" ? "started" : "went on";
  const detail = why === "start" ? "" : "what happened before could not be recorded";
  return { at, type: "restart", subject: "aggwatch", what, detail };
}
