import { parseArgs } from "node:util";
import { runChaos } from "./chaos-loop.ts";

/** `npm run test:chaos -- --faults 500 [--seed 1] [--lease 4] [--shards 3]`: prints figures, and exits with 1 if one is bad. */
const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    lease: { type: "string", default: "4" },
    shards: { type: "string", default: "0" },
    only: { type: "string", multiple: true },
    quiet: { type: "boolean", default: false },
  },
});

const figures = await runChaos({
  faults: Number(values.faults),
  seed: Number(values.seed),
  leaseMs: Number(values.lease) * 1_000,
  shards: Number(values.shards),
  ...(values.only && { only: values.only }),
  ...(values.quiet ? {} : { say: (line: string) => void process.stderr.write(`${line}\n`) }),
});
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
const takeOvers = Object.fromEntries(
  Object.entries(figures.takeOverMs).map(([name, all]) => [
    name,
    { count: all.length, median: median(all), max: Math.max(...all) },
  ]),
);
process.stdout.write(`${JSON.stringify({ ...figures, takeOverMs: takeOvers }, undefined, 2)}\n`);
const { duplicates, lost, untold, outsideBudget, broken } = figures;
if ([duplicates, lost, untold, outsideBudget, broken].some(({ length }) => length > 0))
  process.exitCode = 1;
