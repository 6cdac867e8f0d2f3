import type { EntityLimits } from "../../domain/limits.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { EntityPast, EntitySpan } from "../../io/api/past/entity-past.ts";
import type { EntitiesThen } from "../../io/api/past/moment.ts";
import type { JournalReading, RecordSpan } from "../../io/journal/past.ts";
import { createReplayThread, entitiesAnswer, entityAnswer } from "./replay-thread.ts";

/** Makes what was watched, in a thread of its own: it takes a while, and the loop goes on. */
type PastReader = {
  /** The problem is why it is not kept, or cannot be read. */
  readonly entitiesAt: (at: Instant) => Promise<Result<EntitiesThen, string>>;
  /** What was known of one entity over a span of time. */
  readonly entityPast: (span: EntitySpan) => Promise<Result<EntityPast, string>>;
  readonly close: () => Promise<void>;
};

type Record = Pick<JournalReading, "recordUnits" | "recordSpan" | "chapterAt" | "pagesFrom">;

/** How many entities of all units are held and shown at most. */
const MOST_ENTITIES = 1_000_000;

/** One question is answered at a time. `write` has written what waits in memory to be recorded, as far as it can be. */
export function createPastReader(
  record: Record,
  limits: () => EntityLimits,
  write: () => Promise<void>,
): PastReader {
  const { ask, close } = createReplayThread(record);
  const inTurn = createTurns();

  /**
   * Each unit is replayed by itself, as it ran, so that the pages of one alone are held at once. `take` puts what each
   * knows together, and may say why that is too much.
   */
  async function ofUnits<Value>(
    until: Instant,
    askUnit: (unit: string) => Promise<Result<Value | undefined, string>>,
    take: (joined: Value | undefined, own: Value) => Result<Value, string>,
  ): Promise<Result<Value, string>> {
    const refused = await refusedAt(record, until, write);
    if (refused !== undefined) return fail(refused);
    let joined: Value | undefined;
    for (const unit of await record.recordUnits()) {
      const own = await askUnit(unit);
      if (!own.ok) return own;
      if (own.value === undefined) continue;
      const taken = take(joined, own.value);
      if (!taken.ok) return taken;
      joined = taken.value;
    }
    return joined === undefined ? NOTHING : succeed(joined);
  }

  return {
    entitiesAt: async (at) =>
      await inTurn(async () => {
        const question = { type: "replay", at, limits: limits() } as const;
        const span = { from: at, until: at };
        return await ofUnits(
          at,
          async (unit) => await ask(unit, span, question, entitiesAnswer),
          joinUnits,
        );
      }),
    entityPast: async (span) =>
      await inTurn(async () => {
        const question = { type: "entity", ...span, limits: limits() } as const;
        return await ofUnits(
          span.until,
          async (unit) => await ask(unit, span, question, entityAnswer),
          ofWhoKnewIt,
        );
      }),
    close,
  };
}

/** Does one piece of work at a time, in order. */
function createTurns(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const made = last.then(work);
    // The next begins, whatever became of this one.
    last = made.catch(() => undefined);
    return await made;
  };
}

async function refusedAt(
  { recordSpan }: Pick<Record, "recordSpan">,
  until: Instant,
  write: () => Promise<void>,
): Promise<string | undefined> {
  if (((await recordSpan())?.lastAt ?? -Infinity) < until) await write();
  return notKept(await recordSpan(), until);
}

const NOTHING = fail("not kept: nothing was recorded of it by then");

function notKept(span: RecordSpan | undefined, at: Instant): string | undefined {
  if (span === undefined) return "not kept: the record is empty";
  if (at >= span.firstAt) return undefined;
  return `not kept: the record looks back to ${formatInstant(span.firstAt)} only`;
}

/** An entity belongs to the unit that saw it; if it has moved, to the one that saw it last. */
function ofWhoKnewIt(joined: EntityPast | undefined, own: EntityPast): Result<EntityPast, string> {
  const lastKnown = ({ states }: EntityPast): Instant =>
    states.findLast(({ state }) => state === "seen" || state === "unknown")?.at ?? -Infinity;
  return succeed(joined === undefined || lastKnown(own) > lastKnown(joined) ? own : joined);
}

/** If `home` knows something too, such as that an aggregator is down, its word counts. */
function joinUnits(
  joined: EntitiesThen | undefined,
  own: EntitiesThen,
): Result<EntitiesThen, string> {
  if (joined === undefined) return succeed(own);
  const { aggregators, polls, since, gap, inForce, notKept: missing } = joined;
  const entities = new Map([...own.entities, ...joined.entities]);
  if (entities.size > MOST_ENTITIES)
    return fail(`not kept: more than ${MOST_ENTITIES} entities cannot be shown at once`);
  return succeed({
    entities,
    aggregators: [...new Set([...aggregators, ...own.aggregators])],
    polls: {
      of: (aggregator, poller) => {
        const found = polls.of(aggregator, poller);
        const isEmpty = found.recent.length + found.minutes.length === 0;
        return isEmpty ? own.polls.of(aggregator, poller) : found;
      },
    },
    since: Math.max(since, own.since),
    gap: gap ?? own.gap,
    inForce,
    notKept: [...new Set([...missing, ...own.notKept])],
  });
}
