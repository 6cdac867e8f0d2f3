#!/usr/bin/env node
import { isGuardThread, runGuardThread } from "./cli/guard-thread.ts";

/**
 * Process to command line; the only file that names `process`. It is also what the thread runs that guards the
 * loop (src/io/loop-guard.ts).
 */
// A thread cannot give an exit code, so it ends the process by a signal that nothing catches.
if (isGuardThread) runGuardThread(() => process.kill(process.pid, "SIGABRT"));
else await runCommandLine();

async function runCommandLine(): Promise<void> {
  const stopping = new AbortController();
  // A second signal is no other wish: it must not cut the shutdown short.
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => stopping.abort(signal));

  // A reader that has seen enough, as `head` has, is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
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
