import { relative } from "node:path";
import { EQUIVALENT, hunt, nameOf, RULES } from "./rules/hunt.ts";

/**
 * Mutates each shipped rule and runs its tests: each mutant must be noticed. Prints the survivors,
 * and how many mutants there were of each fate; exits with 1 where one survived.
 *
 *     npm run test:mutants
 */
const hunted = hunt();
const count = (fate: string): number => hunted.filter((one) => one.fate === fate).length;
const survivors = hunted.filter((one) => one.fate === "survived");
const equivalent = survivors.filter((one) => EQUIVALENT[nameOf(one)] !== undefined);
const lines = hunted
  .filter(({ fate }) => fate !== "killed")
  .map((one) => {
    const reason = EQUIVALENT[nameOf(one)];
    const verdict = reason === undefined ? one.fate : `equivalent, as ${reason}`;
    return `${relative(RULES, one.file)} ${nameOf(one)}: ${verdict}`;
  });
const unexpected = survivors.length - equivalent.length;
lines.push(
  `${hunted.length} mutants: ${count("killed")} killed, ${count("invalid")} do not compile, ` +
    `${equivalent.length} equivalent, ${unexpected} survived`,
);
process.stdout.write(`${lines.join("\n")}\n`);
process.exitCode = unexpected === 0 ? 0 : 1;
