import { availableParallelism } from "node:os";
import { HOUR, MINUTE } from "../src/domain/time.ts";
import { readRuleFiles } from "../src/io/process/files.ts";
import type { Outcome } from "../src/simulation/outcome.ts";
import { createPool, type Pool } from "../src/simulation/pool.ts";
import { summarize } from "../src/simulation/summary.ts";
import type { Campaign } from "../src/simulation/task.ts";
import { compare, type Rounds } from "./measure.ts";
import { significant, timesOf, type Row } from "./table.ts";

/** Whole runs of so many seeds with all checkers, on every core, beside one worker alone. */
export async function benchSimulate(seeds: number, rounds: Rounds): Promise<Row[]> {
  const all = createPool(campaign(), availableParallelism());
  const one = createPool(campaign(), 1);
  let outcomes: readonly Outcome[] = [];
  try {
    const compared = await compare(rounds, {
      ours: async () => {
        outcomes = await runAll(all, seeds);
      },
      baseline: async () => void (await runAll(one, seeds)),
    });
    const { simulatedMs, steps } = summarize(outcomes);
    const perSecond = (amount: number, tookMs: number): string =>
      significant((amount * 1_000) / tookMs);
    const hours = simulatedMs / HOUR;
    return [
      {
        name: "simulate: every core",
        size: seeds,
        ...timesOf(compared),
        note: `${perSecond(hours, compared.oursMs)} simulated hours/s, ${perSecond(steps, compared.oursMs)} steps/s; one worker: ${perSecond(hours, compared.baselineMs)} hours/s`,
      },
    ];
  } finally {
    await Promise.all([all.close(), one.close()]);
  }
}

async function runAll(pool: Pool, seeds: number): Promise<Outcome[]> {
  const runs = Array.from({ length: seeds }, (_, index) => pool.run({ of: { seed: index + 1 } }));
  return await Promise.all(runs);
}

function campaign(): Campaign {
  const files = readRuleFiles("rules");
  if (!files.ok) throw new Error(files.problem);
  const swarm = { faultsFor: 15 * MINUTE, calmFor: 15 * MINUTE };
  return { ruleFiles: files.value, swarm };
}
