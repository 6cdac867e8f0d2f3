import { join } from "node:path";
import { actionsByName } from "../../src/actions/index.ts";
import { loadRuleTests } from "../../src/rule-tests/file/load.ts";
import type { RuleTestFile } from "../../src/rule-tests/file/rule-test.ts";
import { succeed } from "../../src/domain/result.ts";
import { readRuleFiles, readRuleTestFiles, readTextFile } from "../../src/io/process/files.ts";
import { kinds } from "../../src/pollers/kinds.ts";
import { runRuleTest } from "../../src/rule-tests/run/run-rule-tests.ts";
import { mutantsOf, type Mutant } from "./mutants.ts";

/**
 * Hunts the mutants of the shipped rules with the shipped tests. `invalid`: the mutant does not even
 * compile, so that no test needs to notice it.
 */
export type Fate = "killed" | "survived" | "invalid";
export type Hunted = { readonly mutant: Mutant; readonly file: string; readonly fate: Fate };

export const RULES = join(import.meta.dirname, "../../rules");

/** Hunts every mutant that is wanted, file by file. */
export function hunt(isWanted: (index: number) => boolean = () => true): readonly Hunted[] {
  const rules = readRuleFiles(RULES);
  if (!rules.ok) throw new Error(rules.problem);
  let index = 0;
  return rules.value.flatMap((file) => {
    const wanted = mutantsOf(file.text).filter(() => isWanted(index++));
    return wanted.map((mutant): Hunted => ({
      mutant,
      file: file.name,
      fate: fateOf(file.name, mutant),
    }));
  });
}

/** Tests that kill often are asked first, as most mutants die of the first test that sees them. */
const deadliest = new Map<string, number>();

function fateOf(file: string, mutant: Mutant): Fate {
  const loaded = load(file, mutant.text);
  if (loaded === undefined) return "invalid";
  const kills = ({ name }: { readonly name: string }) => deadliest.get(name) ?? 0;
  const tests = loaded.tests.toSorted(
    (one, other) => relevance(other, mutant) - relevance(one, mutant) || kills(other) - kills(one),
  );
  const killer = tests.find((test) => runRuleTest(test, loaded.rules).failures.length > 0);
  if (killer === undefined) return "survived";
  deadliest.set(killer.name, kills(killer) + 1);
  return "killed";
}

/** Tests that expect something of the mutated rule come first. */
function relevance(test: RuleTestFile["tests"][number], { alert }: Mutant): number {
  return JSON.stringify(test.expectations).includes(`"${alert}"`) ? 1 : 0;
}

function load(file: string, text: string): RuleTestFile | undefined {
  const tests = readRuleTestFiles(file.replace(/\.yaml$/, ".test.yaml"));
  const [own] = tests.ok ? tests.value : [];
  if (own === undefined) throw new Error(`there are no tests of ${file}`);
  const loaded = loadRuleTests({
    file: own,
    readText: (path) => (path === file ? succeed(text) : readTextFile(path)),
    kinds,
    actions: actionsByName,
  });
  return loaded.ok ? loaded.value : undefined;
}

/** Mutants that no test can tell from the rule, and why; `alert: change` names each. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  "PollPartlyFailing: when: poller.up && poller.failing_surfaces > 0 -> poller.up && poller.failing_surfaces != 0":
    "the core counts surfaces, and never less than none",
  "ListingTruncated: when: poller.truncated_surfaces > 0 -> poller.truncated_surfaces != 0":
    "the core counts surfaces, and never less than none",
  "TooManyEntities: when: poller.left_out > 0 -> poller.left_out != 0":
    "the core counts entities, and never less than none",
  "AggregatorDown: when: aggregator.failing_pollers >= 2 && (aggregator.consecutive_failures >= 3 || aggregator.failing_pollers == aggregator.pollers) -> aggregator.failing_pollers >= 2 && (aggregator.consecutive_failures >= 3 || aggregator.failing_pollers >= aggregator.pollers)":
    "no more pollers can fail than there are",
  'MarketConfigChanged: when: market_config.since > market_config.first_seen && age(market_config.since) < duration("10m") -> market_config.since != market_config.first_seen && age(market_config.since) < duration("10m")':
    "nothing changes before it is first seen",
  "PoolEstimateDeparts: when: pool.estimate_departure > 0.05 -> pool.estimate_departure >= 0.05":
    "it is the distance of a double from 1, and 0.05 is no such distance",
};

export function nameOf({ mutant }: Hunted): string {
  return `${mutant.alert}: ${mutant.change}`;
}
