import { setImmediate } from "node:timers/promises";
import type { JournalReading, NumberedFinding, PastSpan } from "../../journal/past.ts";

/** The findings that one search reads, some milliseconds' worth, and the most searches by default. */
const SEARCHED_AT_ONCE = 500;
const MOST_SEARCHES = 200;

/** The findings of a span of time, the newest first, while it goes on. The event loop runs between searches. */
export async function* newestFirst(
  past: Pick<JournalReading, "between">,
  span: PastSpan,
  goesOn: (searches: number) => boolean = (searches) => searches < MOST_SEARCHES,
): AsyncGenerator<NumberedFinding> {
  let { before } = span;
  for (let searches = 0; goesOn(searches); searches += 1) {
    const { found, next } = await past.between({ ...span, before }, SEARCHED_AT_ONCE);
    yield* found;
    if (next === undefined) return;
    before = next;
    await setImmediate();
  }
}
