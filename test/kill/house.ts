import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Change } from "../../src/domain/step.ts";
import { systemClock } from "../../src/io/process/clock.ts";
import { openJournal, type StoredFinding } from "../../src/io/journal/journal.ts";
import { startSimulatorServer } from "../../src/io/http/simulator-server.ts";
import type { SimulatorRequest } from "../../src/simulator/routes/request.ts";
import { createSimulator, type Simulator } from "../../src/simulator/simulator.ts";
import { runArguments, type Home, type LogLine } from "../acceptance/daemon.ts";

/** What the kill loop needs of the world: an aggregator that hears, daemons, and copies of a journal. */

export type Phase = "received" | "applied" | "answered";

export type HearingAggregator = {
  readonly url: string;
  readonly simulator: Simulator;
  /** Told of every request, at once: a kill in it comes before anything else happens. */
  hear: (phase: Phase, request: SimulatorRequest) => void;
  readonly close: () => Promise<void>;
};

export async function startHearingAggregator(seed: number): Promise<HearingAggregator> {
  const simulator = createSimulator({ seed, clock: systemClock() });
  const aggregator: { -readonly [Key in keyof HearingAggregator]: HearingAggregator[Key] } = {
    url: "",
    simulator,
    hear: () => undefined,
    close: () => Promise.resolve(),
  };
  const handle: Simulator["handle"] = (request) => {
    aggregator.hear("received", request);
    const reply = simulator.handle(request);
    aggregator.hear("applied", request);
    // The reply is written before this callback.
    setImmediate(() => aggregator.hear("answered", request));
    return reply;
  };
  const server = await startSimulatorServer({
    simulator: { ...simulator, handle },
    host: "127.0.0.1",
    port: 0,
  });
  return Object.assign(aggregator, { url: server.url, close: server.close });
}

export type Life = {
  readonly process: ChildProcess;
  readonly lines: readonly LogLine[];
  /** Exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  readonly errors: () => string;
};

const DIE_AT_MODULE = pathToFileURL(join(import.meta.dirname, "die-at.ts")).href;

/** One life of the daemon; `onLine` gets each line of its log. */
export function startLife(
  home: Home,
  dieAt: string | undefined,
  onLine: (line: LogLine, life: Life) => void,
): Life {
  const { PATH = "" } = process.env;
  const main = join(import.meta.dirname, "../../src/main.ts");
  const flags = dieAt === undefined ? [] : ["--import", DIE_AT_MODULE];
  const child = spawn(process.execPath, [...flags, main, ...runArguments(home)], {
    env: { PATH, ACT_KEY: "simulator-key", ...(dieAt === undefined ? {} : { DIE_AT: dieAt }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const lines: LogLine[] = [];
  const life: Life = {
    process: child,
    lines,
    ended: new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal))),
    errors: () => errors,
  };
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = lineOf(text);
    if (line === undefined) return;
    lines.push(line);
    onLine(line, life);
  });
  return life;
}

/** The last line of a killed process may be cut. */
function lineOf(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}

export type JournalPicture = {
  readonly rows: readonly Change[];
  readonly findings: readonly StoredFinding[];
};

/** What a killed daemon has left, read from a copy, so that the next one finds it untouched. */
export function pictureOf(home: Home): JournalPicture {
  const copy = mkdtempSync(join(tmpdir(), "aggwatch-picture-"));
  try {
    if (!existsSync(home.data)) return { rows: [], findings: [] };
    cpSync(home.data, copy, { recursive: true });
    const journal = openJournal(copy);
    if (!journal.ok) throw new Error(`the journal of a killed daemon: ${journal.problem}`);
    const picture = {
      rows: [...journal.value.rows()],
      findings: journal.value.findings(100_000).toReversed(),
    };
    journal.value.close();
    return picture;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
