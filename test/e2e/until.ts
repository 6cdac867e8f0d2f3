import { setTimeout as pause } from "node:timers/promises";
import { afterMachineTime } from "../machine-time.ts";

/** Asks again and again until there is an answer; gives up after some seconds of the machine's time, and says what for. */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  seconds = 60,
): Promise<Answer> {
  let isLate = false;
  const cancel = afterMachineTime(seconds * 1_000, () => (isLate = true));
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each answer decides whether to ask again
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (isLate) throw new Error(`not within ${seconds} s: ${what}`);
      // oxlint-disable-next-line no-await-in-loop -- the asking has to leave time to what is asked
      await pause(100);
    }
  } finally {
    cancel();
  }
}
