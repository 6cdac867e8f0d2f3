#!/usr/bin/env node
import { keepCompiledModules } from "./cli/compiled-modules.ts";
import { isGuardThread, runGuardThread } from "./cli/guard-thread.ts";
import { takeColour } from "./cli/print/colours.ts";

/** How long the process may take to end by itself once its command is done, in milliseconds. */
const LINGER = 200;

/** So often a daemon waits that long for a reader of its log, which may never read again; a command has no limit. */
const LOG_WAITS = 2;

/** The exit code that Node has for a module that waits for what never settles. */
const UNSETTLED = 13;

/**
 * Process to command line; the only file that names `process`. It is also what the thread runs that guards the
 * loop (src/io/process/loop-guard.ts).
 */
// A thread cannot give an exit code, so it ends the process by a signal that nothing catches.
if (isGuardThread) runGuardThread(process);
else void runCommandLine();

async function runCommandLine(): Promise<void> {
  // The library of the rules' language reads calendars by the process's own time zone, even if another one is named.
  process.env["TZ"] = "UTC";
  // If nothing is left that could settle what a command waits for, Node ends the process all the same.
  process.exitCode = UNSETTLED;
  const line = takeColour(process.argv.slice(2));
  const isDaemon = line.ok && line.value.rest[0] === "run";
  // Whoever asks a daemon to read its files again must not end it, as it is about to read them for the first time.
  if (isDaemon) process.on("SIGHUP", () => undefined);
  const stopping = new AbortController();
  // A second signal is no other wish: it must not cut the shutdown short.
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => stopping.abort(signal));

  // The reader has gone (`aggwatch alerts | head -1`), or there is no room: what only writes may end. The
  // daemon watches on, as its log is the least that it is for.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (isDaemon) return;
      if (error.code === "EPIPE") return stopping.abort("EPIPE");
      process.stderr.write(`aggwatch cannot write its output: ${error.message}\n`);
      process.exit(1);
    });

  keepCompiledModules(process.env, isDaemon, (listener) => process.on("exit", listener));
  // Only now, as loading takes a while and a signal in it must end the process as any other would.
  const { runProgram } = await import("./cli/program.ts");

  const exitCode = await runProgram(process.argv.slice(2), {
    env: process.env,
    isTerminal: process.stdout.isTTY,
    get width() {
      // A terminal whose size was never set says that it has 0 columns.
      return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
    },
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
    ask: process.stdin.isTTY ? (question) => ask(question, stopping.signal) : undefined,
    streams: { input: process.stdin, output: process.stdout },
    signal: stopping.signal,
    onHangup: (listener) => {
      process.on("SIGHUP", listener);
      return () => void process.off("SIGHUP", listener);
    },
    guardEntry: new URL(import.meta.url),
    nodeVersion: process.version,
  });
  process.exitCode = exitCode;
  // By itself, Node stops listening to signals before it takes itself apart, and a second one would end the process.
  process.once("beforeExit", () => process.exit(exitCode));
  endSoon(exitCode, isDaemon ? LOG_WAITS : Infinity);
}

/** What asks is loaded only then: hardly any command does. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { askPerson } = await import("./cli/operate/ask-person.ts");
  return await askPerson(question, process.stdin, process.stderr, signal);
}

/**
 * Ends a process that does not end by itself: the command is done, but a name server that does not answer, or a
 * disk that hangs, holds up a thread.
 */
function endSoon(exitCode: number, waits: number): void {
  const end = (): void => {
    // The reader of what was written may be slow.
    const isUnread = process.stdout.writableLength + process.stderr.writableLength > 0;
    if (isUnread && waits > 1) return endSoon(exitCode, waits - 1);
    // `exit` waits for such a thread too; another program in place of this one ends it. Windows knows no `execve`.
    if (process.execve === undefined) process.exit(exitCode);
    process.execve(process.execPath, ["node", "-e", `process.exit(${exitCode})`], {});
  };
  setTimeout(end, LINGER).unref();
}
