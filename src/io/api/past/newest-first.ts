import { setImmediate } from "node:timers/promises";
import type { JournalReading, NumberedFinding, PastSpan } from "../../journal/past.ts";

/** Findings are searched so many at once, some milliseconds' worth, and so many times. */
const SEARCHED_AT_ONCE = 500;
const MOST_SEARCHES = 200;

/** What was found in a span of time, the newest first; the event loop runs in between. */
export async function* newestFirst(
  past: Pick<JournalReading, "between">,
  span: PastSpan,
): AsyncGenerator<NumberedFinding> {
  let { before } = span;
  for (let search = 0; search < MOST_SEARCHES; search += 1) {
    const { found, next } = await past.between({ ...span, before }, SEARCHED_AT_ONCE);
    yield* found;
    if (next === undefined) return;
    before = next;
    await setImmediate();
  }
}
