import { setTimeout as delay } from "node:timers/promises";
import { SECOND, type Clock, type Millis } from "../domain/time.ts";
import { decodeAnswer } from "../io/api/codec.ts";
import { statusAnswer } from "../io/api/status-answer.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { STORY, type Chapter, type Expectation, type View } from "./story.ts";

/** A running demo, and the terminal on which to narrate it. */
export type Demo = {
  readonly simulator: Simulator;
  /** The address of the watchdog's page. */
  readonly url: string;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly colours: boolean;
};

/** How often the watchdog's status is read. */
const POLL_EVERY: Millis = 200;
/** Time to read, between two chapters. */
const BREATH: Millis = 2 * SECOND;

/** Narrates the demo chapter by chapter, and gives the expectations that were not met. */
export async function narrateDemo(demo: Demo): Promise<string[]> {
  const started = demo.clock.now();
  const missed: string[] = [];
  const say = (mark: string, text: string): void =>
    demo.print(`${stamp(demo.clock.now() - started)}  ${mark} ${text}`);
  for (const [index, chapter] of STORY.entries()) {
    if (demo.signal.aborted) break;
    demo.print("");
    demo.print(paint(demo, BOLD, `       ${index + 1}. ${chapter.title}`));
    missed.push(...(await narrateChapter(demo, chapter, say)));
    await pause(demo, BREATH);
  }
  return missed;
}

async function narrateChapter(
  demo: Demo,
  chapter: Chapter,
  say: (mark: string, text: string) => void,
): Promise<string[]> {
  for (const step of chapter.isQuiet === true ? [] : demo.simulator.proceed()) {
    if (step.problem !== undefined) throw new Error(`the demo's scenario: ${step.problem}`);
    if (step.say !== undefined) say(paint(demo, YELLOW, "*"), step.say);
  }
  const missed: string[] = [];
  for (const expectation of chapter.expects) {
    const met = await waitFor(demo, expectation);
    if (demo.signal.aborted) return missed;
    if (met) say(paint(demo, GREEN, "✓"), expectation.says);
    else {
      say(paint(demo, RED, "✗"), `NOT SEEN: ${expectation.says}`);
      missed.push(`${chapter.title}: ${expectation.says}`);
    }
  }
  return missed;
}

async function waitFor(demo: Demo, { within, met }: Expectation): Promise<boolean> {
  const until = demo.clock.now() + within;
  for (;;) {
    const view = await readView(demo);
    if (view !== undefined && met(view)) return true;
    if (demo.clock.now() >= until || demo.signal.aborted) return false;
    await pause(demo, POLL_EVERY);
  }
}

/** The watchdog as an operator sees it, over HTTP; undefined if it does not answer. */
async function readView({ simulator, url, signal }: Demo): Promise<View | undefined> {
  try {
    const [status, ready] = await Promise.all([
      fetch(`${url}/api/v1/status`, { signal }),
      fetch(`${url}/readyz`, { signal }),
    ]);
    const known = decodeAnswer(statusAnswer, await status.json());
    if (known === undefined) return undefined;
    return { status: known, ready: ready.ok, requests: simulator.requestLog() };
  } catch {
    // The watchdog is not up yet, or the demo was stopped; the expectation's deadline decides.
    return undefined;
  }
}

async function pause({ signal }: Demo, length: Millis): Promise<void> {
  // Stopping ends the pause; the caller checks the signal.
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

function paint({ colours }: { readonly colours: boolean }, code: number, text: string): string {
  return colours ? `\u001B[${code}m${text}\u001B[0m` : text;
}
