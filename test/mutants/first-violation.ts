import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createTaskRunner } from "../../src/simulation/task.ts";
import { MINUTE } from "../../src/domain/time.ts";

/**
 * Runs seeds until one violates an invariant, and writes what it found as one line of JSON: run in a
 * copy of the tree, whose code may hold a deliberate bug.
 *
 *     node test/mutants/first-violation.ts FROM TO [MINUTES [REPLICAS [SHARDS [RULES]]]]
 */
const [numbers, directory = "rules"] = [process.argv.slice(2, 7), process.argv[7]];
const [from = 1, to = 1, minutes = 12, replicas = 0, shards = 0] = numbers.map(Number);
/** None is a process alone, and no units. */
const some = (count: number): number | undefined => (count === 0 ? undefined : count);
const RULES = join(import.meta.dirname, "../..", directory);
const files = readdirSync(RULES).filter((name) => /(?<!\.test)\.yaml$/.test(name));
const run = createTaskRunner({
  ruleFiles: files.map((name) => ({ name, text: readFileSync(join(RULES, name), "utf8") })),
  swarm: {
    faultsFor: minutes * MINUTE,
    calmFor: 12 * MINUTE,
    replicas: some(replicas),
    shards: some(shards),
  },
});
let found: object | undefined;
for (let seed = from; seed <= to && found === undefined; seed += 1) {
  const { violations } = await run({ of: { seed }, endsAtViolation: true });
  const [first] = violations;
  if (first !== undefined) found = { seed, invariant: first.invariant, text: first.text };
}
process.stdout.write(`${JSON.stringify(found ?? {})}\n`);
