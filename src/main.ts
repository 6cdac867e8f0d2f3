#!/usr/bin/env node
import { isGuardThread, runGuardThread } from "./cli/guard-thread.ts";

/**
 * Process to command line; the only file that names `process`. It is also what the thread runs that guards the
 * loop (src/io/process/loop-guard.ts).
 */
// A thread cannot give an exit code, so it ends the process by a signal that nothing catches.
if (isGuardThread) runGuardThread(() => process.kill(process.pid, "SIGABRT"));
else await runCommandLine();

async function runCommandLine(): Promise<void> {
  const stopping = new AbortController();
  // A second signal is no other wish: it must not cut the shutdown short.
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => stopping.abort(signal));

  // Nobody reads any more (`aggwatch alerts | head -1`), or there is no room: what only writes may end. The
  // daemon watches on, as its log is the least that it is for.
  const isDaemon = process.argv[2] === "run";
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (isDaemon) return;
      if (error.code === "EPIPE") return stopping.abort("EPIPE");
      process.stderr.write(`aggwatch cannot write its output: ${error.message}\n`);
      process.exit(1);
    });

  // Only now, as loading takes a while and a signal in it must end the process as any other would.
  const { runProgram } = await import("./cli/program.ts");

  process.exitCode = await runProgram(process.argv.slice(2), {
    env: process.env,
    isTerminal: process.stdout.isTTY,
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
    signal: stopping.signal,
    onHangup: (listener) => {
      process.on("SIGHUP", listener);
      return () => void process.off("SIGHUP", listener);
    },
    guardEntry: new URL(import.meta.url),
    nodeVersion: process.version,
  });
}
