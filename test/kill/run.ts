import { parseArgs } from "node:util";
import { runKillLoop } from "./kill-loop.ts";

/** `npm run test:kill -- --kills 200 [--seed 1]`: prints figures, and exits with 1 where one is bad. */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    quiet: { type: "boolean", default: false },
  },
});

const figures = await runKillLoop({
  kills: Number(values.kills),
  seed: Number(values.seed),
  ...(values.quiet ? {} : { say: (line: string) => void process.stderr.write(`${line}\n`) }),
});
process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
const { duplicates, lost, outsideBudget, broken } = figures;
if ([duplicates, lost, outsideBudget, broken].some(({ length }) => length > 0))
  process.exitCode = 1;
