#!/usr/bin/env node
import { runProgram } from "./cli/program.ts";

/** Process to command line; the only file that names `process`. */
const stopping = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => stopping.abort(signal));

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  isTerminal: process.stdout.isTTY,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  signal: stopping.signal,
  nodeVersion: process.version,
});
