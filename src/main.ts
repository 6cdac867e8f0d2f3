#!/usr/bin/env node
/** Process to command line; the only file that names `process`. */
const stopping = new AbortController();
// A second signal is no other wish: it must not cut the shutdown short.
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, () => stopping.abort(signal));

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
  nodeVersion: process.version,
});
