import { setImmediate } from "node:timers/promises";
import type { JournalReading, NumberedFinding, PastSpan } from "../../journal/past.ts";

/** The findings that one search reads, some milliseconds' worth. */
const SEARCHED_AT_ONCE = 500;

/**
 * The findings of a span of time, the newest first, while it goes on; by default, all that the journal keeps of it. The
 * event loop runs between searches.
 */
export async function* newestFirst(
  past: Pick<JournalReading, "between">,
  span: PastSpan,
  goesOn: () => boolean = () => true,
): AsyncGenerator<NumberedFinding> {
  let { before } = span;
  while (goesOn()) {
    const { found, next } = await past.between({ ...span, before }, SEARCHED_AT_ONCE);
    yield* found;
    if (next === undefined) return;
    before = next;
    await setImmediate();
  }
}
