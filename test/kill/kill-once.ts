import { nextRandom, type RandomState } from "../../src/simulator/model/random.ts";
import type { Home } from "../acceptance/daemon.ts";
import type { KillAggregator } from "./aggregator.ts";
import type { Boundary } from "./boundaries.ts";
import { downgrade, startLife, type Life } from "./house.ts";

/**
 * A boundary that does not come is not waited for longer, counted from when the process watches; the kill then
 * counts as a random one. How long a process takes to start is the machine's matter.
 */
const LONGEST_LIFE_MS = 6_000;
const LONGEST_START_MS = 60_000;
/** Until a start has been measured. */
const USUAL_START_MS = 1_500;

/** The world around one life, and what it tells of itself. */
export type Killing = {
  readonly aggregator: KillAggregator;
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  readonly random: RandomState;
  /** How long the last start took until it watched. */
  startMs?: number;
  readonly broken: string[];
};

/** One life, from its start to its death by SIGKILL. Gives the name of the boundary at which it died. */
export async function killOnce(killing: Killing, boundary: Boundary): Promise<string> {
  if (boundary.phase === "migration") downgrade(killing.home);
  const { aggregator, home, random, env } = killing;
  const began = performance.now();
  const { startMs = USUAL_START_MS } = killing;
  let died = boundary.phase === "work" ? "random instant" : `random instant (${boundary.phase})`;
  let isTimedOut = false;
  const dieIn = (afterMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      isTimedOut = life.process.kill("SIGKILL");
    }, afterMs);
  const isRandom = boundary.name.startsWith("random instant");
  const isInStart = boundary.phase === "start" || boundary.phase === "migration";
  const isAtEnd = boundary.phase === "shutdown";
  const randomMs = isInStart
    ? nextRandom(random) * startMs * 1.2
    : 200 + nextRandom(random) * 2_500;
  let timer = dieIn(isRandom && !isAtEnd ? randomMs : LONGEST_START_MS);
  const life: Life = startLife(home, boundary.dieAt, env, (line, { process: child }) => {
    if (line["msg"] === "watching") {
      killing.startMs = performance.now() - began;
      if (isAtEnd) endAt(child, nextRandom(random) * 1_500);
      else if (!isRandom) {
        clearTimeout(timer);
        timer = dieIn(LONGEST_LIFE_MS);
      }
    }
    const { line: wanted } = boundary;
    if (wanted === undefined || line["msg"] !== wanted.msg) return;
    if (wanted.state !== undefined && line["state"] !== wanted.state) return;
    if (child.kill("SIGKILL")) died = boundary.name;
  });
  const endAt = (child: Life["process"], afterMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      child.kill("SIGTERM");
      timer = dieIn(nextRandom(random) * LONGEST_SHUTDOWN_MS);
    }, afterMs);
  };
  let acted = false;
  aggregator.hear = (phase, request) => {
    const wanted = boundary.request;
    const fits = wanted?.phase === phase && wanted.method === request.method;
    if (fits && (wanted.afterAct !== true || acted) && life.process.kill("SIGKILL"))
      died = boundary.name;
    if (request.method === "POST") acted = true;
  };
  const ended = await life.ended;
  clearTimeout(timer);
  aggregator.hear = () => undefined;
  if (isAtEnd && ended === 0) return "ended in good order";
  if (ended !== "SIGKILL") killing.broken.push(`it ended by itself: ${ended} ${life.errors()}`);
  return boundary.dieAt !== undefined && !isTimedOut ? boundary.name : died;
}

/** A shutdown takes about so long. */
const LONGEST_SHUTDOWN_MS = 300;
