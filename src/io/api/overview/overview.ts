import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { countSilenced } from "../../../core/tell/muted-by.ts";
import { POLLER_KIND } from "../../../domain/lease.ts";
import { MODES } from "../../../domain/action.ts";
import { succeed } from "../../../domain/result.ts";
import type { Slices } from "../../../domain/slices.ts";
import { formatInstant, SECOND, type Instant, type Millis } from "../../../domain/time.ts";
import { VERDICT_TONES, verdictOf } from "../../page/verdict.ts";
import { DatabaseAway } from "../../postgres/database.ts";
import { settleWithin } from "../../process/settle-within.ts";
import { createTimeSlice, inSlices } from "../../process/time-slice.ts";
import { alertGroup, alertGroupsOf } from "./alert-groups.ts";
import {
  documented,
  instant,
  list,
  number,
  object,
  orNull,
  text,
  word,
  type ValueOf,
} from "../codec.ts";
import { countsIn, kindCount } from "../lists/entities.ts";
import { atQuery } from "../lists/query.ts";
import { namedRemediation, withAlias } from "../lists/remediations.ts";
import { entitiesOfKind } from "../lists/view.ts";
import type { Moment, Moments } from "../past/moment.ts";
import { addRead } from "../read-route.ts";
import { stopsAt } from "../past/stops.ts";
import type { ServerSource } from "../server-source.ts";
import {
  serverPartOf,
  commonStatus,
  commonStatusOf,
  watched,
  watchedBy,
} from "../status-answer.ts";
import { HOW_TO_ENABLE } from "../tokens.ts";

/** `GET /api/v1/overview`: the state on one screen, however much is watched. The console begins with it. */

export const overviewAnswer = documented(
  object({
    ...commonStatus,
    mode: documented(orNull(word(MODES)), {
      description: "`null` in the past if it was not recorded.",
    }),
    notKept: documented(list(text), {
      description: "Fields that are empty because their past is not kept; none in the present.",
    }),
    keptSince: documented(orNull(instant), {
      description: "The earliest instant for `at`; `null` if there is none yet.",
    }),
    verdict: object({ tone: word(VERDICT_TONES), headline: text, lines: list(text) }),
    whyReadOnly: documented(orNull(text), {
      description: "Why writing calls are refused; `null` if a token allows them.",
    }),
    alertGroups: documented(list(alertGroup), { description: "By rule, the worst first." }),
    silenced: documented(number, { description: "Of the alerts that fire." }),
    aggregators: list(object({ name: text, watched, kinds: list(kindCount) })),
    remediations: documented(list(namedRemediation), { description: "The newest of them." }),
    remediationCounts: documented(object({ total: number, open: number }), {
      description: "Of all that are kept; an open one has not settled.",
    }),
  }),
  "Overview",
);

const MOST_REMEDIATIONS = 20;
/** Fields whose past is never kept. */
const NEVER_KEPT = ["proposals", "channels", "watched", "ramp"];

export function addOverview(app: OpenAPIHono, source: ServerSource, moments: Moments): void {
  // Made at most once a second, however many callers ask.
  let made: { readonly at: Instant; readonly of: object; readonly overview: Overview } | undefined;
  let changes = 0;
  const keptSinceNow = lastKnown(async () => await keptSinceOf(source));
  const present = async (): Promise<Overview> => {
    const now = source.now();
    // A standby's rows may be read again in between, as after a command that another app took.
    const { entities: of } = source.view();
    if (made?.of === of && now >= made.at && now - made.at < SECOND) return made.overview;
    const before = changes;
    const keptSince = await keptSinceNow();
    const overview = { ...(await overviewOf(source, moments.now())), keptSince };
    if (changes === before) made = { at: now, of, overview };
    return overview;
  };
  // After a change, the next read is current, whatever was begun before; a refused call causes no work.
  app.use(async (context, next) => {
    await next();
    const { method } = context.req;
    if (!context.res.ok || method === "GET" || method === "HEAD") return;
    changes += 1;
    made = undefined;
  });
  addRead(app, {
    path: "/api/v1/overview",
    summary: "The state on one screen: the verdict, proposals that wait, and counts.",
    query: z.object({ at: atQuery }),
    answer: overviewAnswer,
    of: async ({ at }) => {
      if (at === undefined) return succeed(await present());
      const moment = await moments.at(at);
      return moment.ok ? succeed(await pastOverview(source, moment.value)) : moment;
    },
  });
}

type Overview = ValueOf<typeof overviewAnswer>;

/** One that is away may hang, and all else of the present is known without it. */
const ANSWERED_WITHIN: Millis = SECOND;

/** While the database is away or has not answered yet, what it said last. */
function lastKnown<Value>(
  read: () => Promise<Value | undefined>,
): () => Promise<Value | undefined> {
  let known: Value | undefined;
  let reading: Promise<void> | undefined;
  const again = async (): Promise<void> => {
    try {
      known = await read();
    } catch (error) {
      if (!(error instanceof DatabaseAway)) throw error;
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    const asked = (reading ??= again());
    if (await settleWithin([asked], ANSWERED_WITHIN)) await asked;
    return known;
  };
}

/** The instant to which both the findings and the record look back. */
async function keptSinceOf({ past }: Pick<ServerSource, "past">): Promise<Instant | undefined> {
  const [journal, record] = [await past.reachesBackTo(), await past.recordSpan()];
  return journal === undefined || record === undefined
    ? undefined
    : Math.max(journal, record.firstAt);
}

async function overviewOf(
  source: ServerSource,
  moment: Moment,
): Promise<Omit<Overview, "keptSince">> {
  const [status, serverPart] = [source.overview(), serverPartOf(source)];
  const judged = judgedAt(moment);
  return {
    ...commonStatusOf(status, serverPart),
    notKept: [],
    verdict: verdictOf({ ...status, ...judged }, source.unhealthy()),
    silenced: judged.silenced,
    whyReadOnly: source.gate.isEnabled() ? undefined : HOW_TO_ENABLE,
    ...(await inSlices(countsAt(moment, serverPart), createTimeSlice())),
  };
}

async function pastOverview(source: ServerSource, moment: Moment): Promise<Overview> {
  const { view, past } = moment;
  const { mode, silences } = past?.inForce ?? {};
  const stopped = await stopsAt(source.past, view.at);
  const judged = { at: view.at, mode, ...stopped, proposals: [], ...judgedAt(moment) };
  return {
    ...stopped,
    version: source.version,
    at: view.at,
    startedAt: stopped.startedAt ?? past?.since ?? view.at,
    mode,
    replica: undefined,
    notices: noticesOf(moment),
    keptSince: await keptSinceOf(source),
    proposals: [],
    silences: (silences ?? []).filter(({ until }) => until > view.at),
    channels: [],
    notKept: [
      ...(mode === undefined ? ["mode"] : []),
      ...(silences === undefined ? ["silences"] : []),
      ...NEVER_KEPT,
    ],
    verdict: verdictOf(judged, []),
    silenced: judged.silenced,
    whyReadOnly: "this is the past, which cannot be changed",
    ...(await inSlices(countsAt(moment), createTimeSlice())),
  };
}

/** What the verdict is about, besides what stops actions. */
function judgedAt({ view, aggregators }: Moment) {
  const alerts = [...view.alerts.values()];
  const pollers = entitiesOfKind(view, POLLER_KIND).map(([, entity]) => entity);
  return { alerts, aggregators, pollers, silenced: countSilenced(view, alerts) };
}

function noticesOf({ past }: Moment): string[] {
  if (past?.gap === undefined) return [];
  const { from, until } = past.gap;
  return [
    `Nothing was recorded from ${formatInstant(from)} to ${formatInstant(until)}: this is as it was last known.`,
  ];
}

type Counts = Pick<Overview, "alertGroups" | "aggregators" | "remediations" | "remediationCounts">;

/**
 * In slices, because it takes long if much is watched. A slice does not wait for the end of a long event, or each
 * might: every row is whole at any time, and the counts are of more than one instant anyway.
 */
function* countsAt(
  { view, aggregators: names }: Moment,
  serverPart?: ReturnType<typeof serverPartOf>,
): Slices<Counts> {
  const alertGroups = alertGroupsOf(view);
  yield;
  const all = [...view.remediations.values()];
  const newest = all.slice(-MOST_REMEDIATIONS).toReversed();
  const remediations = newest.map((one) => withAlias(view, one));
  const aggregators: Counts["aggregators"][number][] = [];
  for (const name of names) {
    const kinds = yield* countsIn(view, name);
    aggregators.push({ name, watched: serverPart ? watchedBy(name, serverPart) : [], kinds });
  }
  const open = all.filter(({ settledAt }) => settledAt === undefined).length;
  return { alertGroups, aggregators, remediations, remediationCounts: { total: all.length, open } };
}
