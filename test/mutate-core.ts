import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { coreMutants } from "./mutants/core-mutants.ts";
import { huntCore, type Hunted } from "./mutants/hunt-core.ts";
import { DOCUMENT, mutantTable, withTable } from "./mutants/mutant-table.ts";

/**
 * Puts one deliberate bug after the other into a copy of the tree, and runs the simulation on it until
 * an invariant is violated. Prints who found what; exits with 1 if a mutant survived, or if the
 * tree without a mutant violates an invariant.
 *
 *     npm run test:core-mutants -- [--only NAME,NAME] [--seeds K] [--workers N] [--write]
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seeds: { type: "string", default: "200" },
    workers: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
  },
});
const seeds = Number(values.seeds);
const only = values.only?.split(",");
const waiting = coreMutants.filter(({ name }) => only?.includes(name) ?? true);
const hunted = new Map<string, Hunted>();

function write(): void {
  const path = join(import.meta.dirname, "..", DOCUMENT);
  const before = readFileSync(path, "utf8");
  writeFileSync(path, withTable(before, mutantTable(coreMutants, hunted, seeds, before)));
}

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const done = await huntCore(mutant, { seeds });
    hunted.set(mutant.name, done);
    const fate =
      done.seed === undefined
        ? `${mutant.survives === undefined ? "SURVIVED" : "survived, as expected"} ${seeds} seeds`
        : `seed ${done.seed}: ${done.invariant}: ${done.text}`;
    process.stdout.write(`${mutant.name} (${done.seconds.toFixed(1)} s): ${fate}\n`);
    // After each, as a whole table takes an hour, and may be cut short.
    if (values.write) write();
  }
}

await Promise.all(Array.from({ length: Number(values.workers) }, work));
const survivors = coreMutants.filter(
  ({ name, survives }) =>
    survives === undefined && hunted.has(name) && hunted.get(name)?.seed === undefined,
);
process.stdout.write(`${hunted.size} mutants, ${survivors.length} survived\n`);
const unmutated = values.only === undefined ? await huntCore(undefined, { seeds }) : undefined;
if (unmutated !== undefined) {
  const said =
    unmutated.seed === undefined ? "no violation" : `seed ${unmutated.seed}: ${unmutated.text}`;
  process.stdout.write(
    `without a mutant, ${seeds} seeds: ${said} (${unmutated.seconds.toFixed(1)} s)\n`,
  );
}
process.exitCode = survivors.length > 0 || unmutated?.seed !== undefined ? 1 : 0;
