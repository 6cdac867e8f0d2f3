import { setImmediate } from "node:timers/promises";
import type { Instant } from "../../domain/time.ts";
import type { JournalReading } from "../../io/journal/past.ts";
import type { PackedPage } from "../../io/journal/record-pages.ts";

/** How many pages are read at once, and handed to a thread. */
const PAGES_AT_ONCE = 8;
/** A day of 10 000 entities has some 20 MB; what holds more is refused, as it would be held in memory. */
const MOST_BYTES = 128 * 1_048_576;

/**
 * Hands pages of some units' records over, unit by unit, each from the chapter that was under way at the first instant up
 * to the first page that begins after the second. The problem is why that is too much.
 */
export async function handOver(
  record: Pick<JournalReading, "chapterAt" | "pagesFrom">,
  { units, from, until }: Wanted,
  take: (pages: readonly PackedPage[], moved: readonly ArrayBuffer[]) => void,
): Promise<string | undefined> {
  let bytes = 0;
  for (const unit of units) {
    const begin = await record.chapterAt(from, unit);
    for await (const pages of pagesUntil(record, begin, until)) {
      bytes += pages.reduce((sum, { body }) => sum + body.length, 0);
      if (bytes > MOST_BYTES)
        return "not kept: the record of that time is too large to be read here";
      take(
        pages,
        pages.map(({ body }) => body.buffer as ArrayBuffer),
      );
    }
  }
  return undefined;
}

type Wanted = {
  readonly units: readonly string[];
  readonly from: Instant;
  readonly until: Instant;
};

async function* pagesUntil(
  record: Pick<JournalReading, "pagesFrom">,
  begin: number,
  until: Instant,
): AsyncGenerator<readonly PackedPage[]> {
  let seq = begin;
  for (;;) {
    const pages: readonly PackedPage[] = await record.pagesFrom(seq, PAGES_AT_ONCE);
    const last = pages.at(-1);
    if (last === undefined) return;
    yield pages;
    if (last.at > until || pages.length < PAGES_AT_ONCE) return;
    seq = last.seq + 1;
    await setImmediate();
  }
}
