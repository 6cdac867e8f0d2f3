import { parseArgs } from "node:util";
import { BOUNDARIES, PHASES } from "./boundaries.ts";
import { runKillLoop } from "./kill-loop.ts";

/** `npm run test:kill -- --kills 200 [--seed 1] [--phase start …]`: prints figures, and exits with 1 if one is bad. */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    phase: { type: "string", multiple: true, default: [...PHASES] },
    quiet: { type: "boolean", default: false },
  },
});

const figures = await runKillLoop({
  kills: Number(values.kills),
  seed: Number(values.seed),
  boundaries: BOUNDARIES.filter(({ phase }) => values.phase.includes(phase)),
  ...(values.quiet ? {} : { say: (line: string) => void process.stderr.write(`${line}\n`) }),
});
process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
const { duplicates, lost, untold, outsideBudget, broken } = figures;
if ([duplicates, lost, untold, outsideBudget, broken].some(({ length }) => length > 0))
  process.exitCode = 1;
