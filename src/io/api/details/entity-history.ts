import { z } from "@hono/zod-openapi";
import { alertKey } from "../../../domain/alert.ts";
import { entityKey, type EntityId } from "../../../domain/entity.ts";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import { DAY, MINUTE, type Instant } from "../../../domain/time.ts";
import { documented, instant, list, number, object, orNull, text, word } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { atQuery, durationQuery } from "../lists/query.ts";
import { PAST_STATES, type EntityPast, type PastState } from "../past/entity-past.ts";
import { createKept, isOver, type Refusal } from "../past/kept.ts";
import type { ServerSource } from "../server-source.ts";
import { lifetimesOf } from "./lifetimes.ts";

/** `GET /api/v1/entities/{aggregator}/{kind}/{id}/history`: its condition and its numbers over time. */

const CONDITIONS = ["ok", "bad", ...PAST_STATES.filter((state) => state !== "seen")] as const;

const band = object({
  from: instant,
  until: instant,
  condition: documented(word(CONDITIONS), {
    description: "`bad`: one of its alerts was pending or firing. `not_recorded`: nothing was.",
  }),
  status: orNull(text),
});

const bucket = object({
  from: instant,
  min: number,
  max: number,
  last: documented(number, { description: "At the end of the stretch." }),
});

export const entityHistoryAnswer = documented(
  object({
    key: text,
    from: instant,
    until: instant,
    recordedSince: documented(orNull(instant), {
      description: "The start of the record, if that is later than asked for.",
    }),
    bands: documented(list(band), {
      description: "The oldest first; only the newest if the entity changed very often.",
    }),
    bucketMs: number,
    facts: documented(list(object({ name: text, means: orNull(text), buckets: list(bucket) })), {
      description: "The facts that are numbers. A stretch without a known value is left out.",
    }),
  }),
  "EntityHistory",
);

type EntityHistory = ValueOf<typeof entityHistoryAnswer>;

export const entityHistoryQuery = z.object({
  at: atQuery.openapi({ description: "Where it ends; the last whole minute by default." }),
  span: durationQuery("6h", DAY).openapi({ description: "How far back it goes." }),
});

/** Answers are kept for callers that ask for the same. Without `at`, that stays the same for a minute. */
const MOST_KEPT = 20;

/** Reads the record in a thread, which may take a second or two. */
export function createEntityHistories(source: ServerSource) {
  const pastOf = createKept(
    MOST_KEPT,
    async (asked: string): Promise<Result<EntityPast, string>> => {
      const [from, until, ...key] = asked.split(" ");
      return await source.entityPast({
        key: key.join(" "),
        from: Number(from),
        until: Number(until),
      });
    },
    (asked) => isOver(Number(asked.split(" ")[1]), source.now()),
  );
  return async (
    id: EntityId,
    { at, span }: z.output<typeof entityHistoryQuery>,
  ): Promise<Result<EntityHistory, Refusal>> => {
    const until = at === undefined ? Math.floor(source.now() / MINUTE) * MINUTE : Date.parse(at);
    const from = until - span;
    const past = await pastOf(`${from} ${until} ${entityKey(id)}`);
    if (!past.ok) return past;
    const bad = await badTimes(source, id, past.value);
    const isKnown = source.view().entities.has(entityKey(id));
    const isNone = (state: PastState["state"]): boolean =>
      state === "absent" || (state === "not_recorded" && !isKnown);
    if (bad.length === 0 && past.value.states.every(({ state }) => isNone(state)))
      return fail({ status: 404, error: `${entityKey(id)} was not known then` });
    return succeed(historyIn(source, id, { past: past.value, asked: from, bad }));
  };
}

type Span = { readonly from: Instant; readonly until: Instant };

/** The spans in which an alert was pending or firing, also one of a rule that was removed since. */
async function badTimes(
  source: ServerSource,
  id: EntityId,
  { rules: ofThen, until }: EntityPast,
): Promise<Span[]> {
  const ofNow = [...source.view().rules.values()].filter(({ kind }) => kind === id.kind);
  const names = new Set([...ofNow.map(({ alert }) => alert), ...ofThen]);
  const lifetimes = await Promise.all(
    [...names].map(async (rule) => {
      const key = alertKey(rule, entityKey(id));
      const found = await source.past.historyOf(key, until);
      // One that lasts may have begun before the oldest finding.
      return lifetimesOf(found, source.view().alerts.get(key));
    }),
  );
  return lifetimes
    .flat()
    .filter(({ startedAt }) => startedAt <= until)
    .map(({ startedAt, endedAt = until }) => ({ from: startedAt, until: endedAt }));
}

function historyIn(
  source: ServerSource,
  { kind, ...id }: EntityId,
  { past, asked, bad }: { past: EntityPast; asked: Instant; bad: readonly Span[] },
): EntityHistory {
  const { kinds, entities } = source.view();
  const key = entityKey({ kind, ...id });
  const { from, until, bucketMs, facts } = past;
  const definitions = kinds.get(kind)?.facts;
  const firstSeen = entities.get(key)?.firstSeen ?? until;
  return {
    key,
    from,
    until,
    recordedSince: from > asked ? from : undefined,
    bands: bandsOf({ ...past, states: withKnownAge(past, firstSeen) }, bad),
    bucketMs,
    facts: facts.map(({ name, buckets }) => ({ name, means: definitions?.[name]?.means, buckets })),
  };
}

/** An entity that was first seen before the record begins was unknown, not absent, until its first recorded reading. */
function withKnownAge({ from, states }: EntityPast, firstSeen: Instant): EntityPast["states"] {
  const [first, ...rest] = states;
  if (first?.state !== "absent" || firstSeen > from) return states;
  return [{ ...first, state: "unknown" }, ...rest];
}

type Band = EntityHistory["bands"][number];

/** The bands between the changes of its readings and of its alerts. */
function bandsOf(
  { from, until, states }: Pick<EntityPast, "from" | "until" | "states">,
  bad: readonly Span[],
): readonly Band[] {
  const begin = Math.max(from, states[0]?.at ?? until);
  const changes = [
    ...states.map((known) => ({ at: known.at, known, open: 0 })),
    ...bad.flatMap((one) => [
      { at: one.from, known: undefined, open: 1 },
      { at: one.until, known: undefined, open: -1 },
    ]),
    { at: until, known: undefined, open: 0 },
  ];
  const bands: Band[] = [];
  let known: PastState | undefined;
  let open = 0;
  let last = begin;
  for (const change of changes.toSorted((one, other) => one.at - other.at)) {
    const at = Math.min(change.at, until);
    if (at > last) {
      add(bands, {
        from: last,
        until: at,
        condition: conditionOf(known, open),
        status: known?.status,
      });
      last = at;
    }
    known = change.known ?? known;
    open += change.open;
  }
  return bands;
}

function conditionOf(known: PastState | undefined, open: number): Band["condition"] {
  const { state } = known ?? { state: "absent" };
  if (state === "not_recorded") return state;
  if (open > 0) return "bad";
  return state === "seen" ? "ok" : state;
}

function add(bands: Band[], next: Band): void {
  const last = bands.at(-1);
  if (last?.condition !== next.condition || last.status !== next.status) bands.push(next);
  else bands.splice(-1, 1, { ...last, until: next.until });
}
