import { setTimeout as pause } from "node:timers/promises";

/** Asks again and again until there is an answer; gives up after some seconds, and says what for. */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  seconds = 60,
): Promise<Answer> {
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each answer decides whether to ask again
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    // oxlint-disable-next-line no-await-in-loop -- the asking has to leave time to what is asked
    await pause(100);
  }
}
