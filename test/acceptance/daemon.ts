import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StatusJson } from "../../src/io/api/answers.ts";
import { childEnvironment } from "../child-environment.ts";
import { afterMachineTime } from "../machine-time.ts";
import { madeOnce, SOURCE } from "../made-once.ts";
import { createEvents, showLogOf, type Events, type Finishing } from "./events.ts";

/** A real `aggwatch run` in a process of its own, and its log lines as events to wait for. */
export type LogLine = Readonly<Record<string, unknown>>;

export type Daemon = {
  readonly url: string;
  readonly process: ChildProcess;
  readonly lines: readonly LogLine[];
  /** What it complained of. */
  readonly errors: () => string;
  /** The first line that fits, of those written already and those to come. */
  readonly line: Events<LogLine>["first"];
  readonly metrics: () => Promise<string>;
  /** The value of one series, by name and labels as written; undefined where there is none. */
  readonly metric: (series: string) => Promise<number | undefined>;
  readonly status: () => Promise<StatusJson>;
  /** Sends the signal, and gives the exit code (null where the signal itself ended it). */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<number | null>;
};

export type Home = {
  readonly config: string;
  readonly rules: string;
  readonly data: string;
  readonly killFile: string;
};

/** A process that starts beside many others on a busy machine takes its time. */
const STARTING = { what: "that it watches", atMostMs: 45_000 };

/** The program that these tests start. */
export const MAIN = (await madeOnce("program")) ?? SOURCE;

/** A directory with config and rules, which goes when the test ends. */
export function makeHome(context: Finishing, config: string, rules: string): Home {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-acceptance-"));
  context.onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const home = {
    config: join(directory, "aggwatch.yaml"),
    rules: join(directory, "rules"),
    data: join(directory, "data"),
    killFile: join(directory, "data", "KILL"),
  };
  mkdirSync(home.rules);
  mkdirSync(home.data);
  writeFileSync(home.config, config);
  writeFileSync(join(home.rules, "rules.yaml"), rules);
  return home;
}

/** Runs a command line to its end. */
export async function runCli(
  context: Finishing,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return await startCli(context, args, env).ended;
}

/** What a process that ended said, and how it ended. */
export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
};

/** Starts a command line. A process that does not end by itself in time counts as killed by SIGKILL. */
export function startCli(
  context: Finishing,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly process: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawnCli(args, env);
  const kill = (): void => void child.kill("SIGKILL");
  context.onTestFinished(kill);
  const cancel = afterMachineTime(STARTING.atMostMs, kill);
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => {
      cancel();
      resolve({ code, signal, out, err });
    });
  });
  return { process: child, ended };
}

type StartOptions = {
  /** What is written before `run`. */
  readonly before?: readonly string[];
  /** The lines that are waited for; each has the address. */
  readonly started?: readonly string[];
  /** Another than the built one, which brings its libraries with it: a hook that changes one of them needs the source. */
  readonly program?: string;
};

export async function startDaemon(
  context: Finishing,
  home: Home,
  env: Readonly<Record<string, string>> = {},
  { before = [], started = ["watching", "standing by"], program = MAIN }: StartOptions = {},
): Promise<Daemon> {
  const child = spawnCli([...before, ...runArguments(home)], env, program);
  context.onTestFinished(() => void child.kill("SIGKILL"));
  const { lines, errors } = readLog(context, child);
  const ended = closed(child);
  const watching = await Promise.race([
    lines.first(({ msg }) => started.includes(String(msg)), STARTING),
    ended.then((code) => {
      throw new Error(`the daemon ended with ${code}: ${errors()}`);
    }),
  ]);
  const url = String(watching["url"]);
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  return {
    url,
    process: child,
    lines: lines.all,
    errors,
    line: lines.first,
    metrics,
    metric: async (series) => {
      const found = (await metrics()).split("\n").find((line) => line.startsWith(`${series} `));
      return found === undefined ? undefined : Number(found.slice(series.length + 1));
    },
    status: async () => (await (await fetch(`${url}/api/v1/status`)).json()) as StatusJson,
    end: async (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** The command line of the daemon of a home, on any free port. */
export function runArguments({ config, rules, data }: Home): string[] {
  const paths = ["--config", config, "--rules", rules, "--data", data];
  return ["run", ...paths, "--listen", "127.0.0.1:0"];
}

function spawnCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = MAIN,
): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: { ...childEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function closed(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("close", (code) => resolve(code));
  });
}

function readLog(
  context: Finishing,
  child: ChildProcess,
): { readonly lines: Events<LogLine>; readonly errors: () => string } {
  const lines = createEvents<LogLine>(context, "log line");
  let errors = "";
  const ending = (): string =>
    child.exitCode === null ? "" : `\nended with ${child.exitCode}: ${errors}`;
  showLogOf(context, lines.all, ending);
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  if (child.stdout === null) throw new Error("no standard output");
  // The last line of a process that is killed may be cut.
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const whole = (rest + chunk).split("\n");
    rest = whole.pop() ?? "";
    for (const text of whole) lines.add(JSON.parse(text) as LogLine);
  });
  return { lines, errors: () => errors };
}
