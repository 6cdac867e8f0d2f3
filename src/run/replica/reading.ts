import { SECOND, type Millis } from "../../domain/time.ts";
import { steadyNow } from "../../io/process/clock.ts";

/** What was read is shown for this long, or for this many times the time that reading it took. */
const SHOWN_FOR: Millis = 2 * SECOND;
const SHOWN_TIMES = 10;

/** Reads again what is too old to be shown, once for all who ask meanwhile. `read` says if anything is other now. */
export function createReading(ageMs: () => Millis, read: () => Promise<boolean>) {
  let hasRead = false;
  let isExpired = false;
  let tookMs: Millis = 0;
  let reading: Promise<void> | undefined;
  const again = async (): Promise<void> => {
    const began = steadyNow();
    isExpired = false;
    try {
      if (await read()) tookMs = steadyNow() - began;
      hasRead = true;
    } catch (error) {
      isExpired = true;
      throw error;
    }
  };
  const isTooOld = (): boolean =>
    !hasRead || isExpired || ageMs() >= Math.max(SHOWN_FOR, tookMs * SHOWN_TIMES);
  return {
    /** Something was done: what was read before is not to be shown, nor what is being read now. */
    expire: (): void => {
      isExpired = true;
    },
    fresh: async (): Promise<void> => {
      if (isExpired) await reading?.catch(() => undefined);
      if (reading === undefined && !isTooOld()) return;
      reading ??= again().finally(() => {
        reading = undefined;
      });
      try {
        await reading;
      } catch (error) {
        // The rows read before are shown with their age.
        if (!hasRead) throw error;
      }
    },
    ended: async (): Promise<void> => await reading?.catch(() => undefined),
  };
}
