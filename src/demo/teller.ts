import { setTimeout as delay } from "node:timers/promises";
import { SECOND, type Clock, type Millis } from "../domain/time.ts";
import { decodeAnswer } from "../io/api/codec.ts";
import { statusAnswer } from "../io/api/status-answer.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { STORY, type Chapter, type Expectation, type View } from "./story.ts";

/** Tells the story on the terminal while it happens, and checks each thing that must be seen. */
export type Telling = {
  readonly simulator: Simulator;
  /** Where the watchdog serves its page. */
  readonly url: string;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly colours: boolean;
};

/** How often one looks. */
const LOOK_EVERY: Millis = 200;
/** Time for a reader between two chapters. */
const BREATH: Millis = 2 * SECOND;

/** Gives the expectations that were not met; none, if all went as it must. */
export async function tell(telling: Telling): Promise<string[]> {
  const started = telling.clock.now();
  const missed: string[] = [];
  const say = (mark: string, text: string): void =>
    telling.print(`${stamp(telling.clock.now() - started)}  ${mark} ${text}`);
  for (const [index, chapter] of STORY.entries()) {
    if (telling.signal.aborted) break;
    telling.print("");
    telling.print(paint(telling, BOLD, `       ${index + 1}. ${chapter.title}`));
    missed.push(...(await tellChapter(telling, chapter, say)));
    await pause(telling, BREATH);
  }
  return missed;
}

async function tellChapter(
  telling: Telling,
  chapter: Chapter,
  say: (mark: string, text: string) => void,
): Promise<string[]> {
  for (const step of chapter.isQuiet === true ? [] : telling.simulator.proceed()) {
    if (step.problem !== undefined) throw new Error(`the demo's scenario: ${step.problem}`);
    if (step.say !== undefined) say(paint(telling, YELLOW, "*"), step.say);
  }
  const missed: string[] = [];
  for (const expectation of chapter.expects) {
    const met = await waitFor(telling, expectation);
    if (telling.signal.aborted) return missed;
    if (met) say(paint(telling, GREEN, "✓"), expectation.says);
    else {
      say(paint(telling, RED, "✗"), `NOT SEEN: ${expectation.says}`);
      missed.push(`${chapter.title}: ${expectation.says}`);
    }
  }
  return missed;
}

async function waitFor(telling: Telling, { within, met }: Expectation): Promise<boolean> {
  const until = telling.clock.now() + within;
  for (;;) {
    const view = await look(telling);
    if (view !== undefined && met(view)) return true;
    if (telling.clock.now() >= until || telling.signal.aborted) return false;
    await pause(telling, LOOK_EVERY);
  }
}

/** As an operator would look: over HTTP. */
async function look({ simulator, url, signal }: Telling): Promise<View | undefined> {
  try {
    const [status, ready] = await Promise.all([
      fetch(`${url}/api/v1/status`, { signal }),
      fetch(`${url}/readyz`, { signal }),
    ]);
    const known = decodeAnswer(statusAnswer, await status.json());
    if (known === undefined) return undefined;
    return { status: known, ready: ready.ok, requests: simulator.requestLog() };
  } catch {
    // The watchdog is not up yet, or the story was stopped; the expectation's deadline tells.
    return undefined;
  }
}

async function pause({ signal }: Telling, length: Millis): Promise<void> {
  // Stopping ends the pause; the caller looks at the signal.
  await delay(length, undefined, { signal }).catch(() => undefined);
}

function stamp(passed: Millis): string {
  const seconds = Math.floor(passed / SECOND);
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}

const BOLD = 1;
const RED = 31;
const GREEN = 32;
const YELLOW = 33;

export function paint(
  { colours }: { readonly colours: boolean },
  code: number,
  text: string,
): string {
  return colours ? `\u001B[${code}m${text}\u001B[0m` : text;
}
