import { join } from "node:path";
import { actionsByName } from "../../src/actions/index.ts";
import { compileRules } from "../../src/config/rules/rules.ts";
import { loadRuleTests } from "../../src/rule-tests/file/load.ts";
import type { RuleTest } from "../../src/rule-tests/file/rule-test.ts";
import type { Result } from "../../src/domain/result.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { readRuleFiles, readRuleTestFiles, readTextFile } from "../../src/io/process/files.ts";
import { kinds } from "../../src/pollers/kinds.ts";
import { failuresOf } from "../../src/rule-tests/run/run-rule-tests.ts";
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
    if (wanted.length === 0) return [];
    const loaded = load(file.name);
    return wanted.map((mutant): Hunted => ({
      mutant,
      file: file.name,
      fate: fateOf(file.name, loaded, mutant),
    }));
  });
}

function fateOf(file: string, { tests, texts }: Loaded, mutant: Mutant): Fate {
  const files = [...texts].map(([name, text]) => ({
    name,
    text: name === file ? mutant.text : text,
  }));
  const rules = compileRules({ files, kinds, actions: actionsByName });
  if (!rules.ok) return "invalid";
  const ordered = tests.toSorted(
    (one, other) =>
      relevance(other, mutant) - relevance(one, mutant) ||
      likelihood(other, mutant) - likelihood(one, mutant),
  );
  const killer = ordered.find((test) => failuresOf(test, rules.value).next().done !== true);
  if (killer === undefined) return "survived";
  for (const like of likenesses(killer, mutant)) kills.set(like, (kills.get(like) ?? 0) + 1);
  return "killed";
}

/** How many mutants each test killed, by rule, and by rule and key. */
const kills = new Map<string, number>();

/** Of the mutants in the same rule, and of those that change the same key of it. */
function likenesses({ name }: RuleTest, { alert, change }: Mutant): [rule: string, key: string] {
  const [key = ""] = /^[\w.]+/.exec(change) ?? [];
  return [`${name} ${alert}`, `${name} ${alert} ${key}`];
}

/** As much as a test costs beside the seconds that it passes. */
const START_MS = 5 * MINUTE;

/** How likely a test is to kill, for its length: what killed its like, and what is short, comes first. */
function likelihood(test: RuleTest, mutant: Mutant): number {
  const [ofRule = 0, ofKey = 0] = likenesses(test, mutant).map((like) => kills.get(like));
  const lengthMs = Math.max(...test.expectations.map(({ atMs }) => atMs));
  return (ofRule + 4 * ofKey + 0.5) / (START_MS + lengthMs);
}

/** Tests that expect something of the mutated rule come first. */
function relevance(test: RuleTest, { alert }: Mutant): number {
  return JSON.stringify(test.expectations).includes(`"${alert}"`) ? 1 : 0;
}

/**
 * The tests of a file, and the text of each rule file that they are of. Of the rules they need the names to be compiled,
 * and no mutant changes one.
 */
type Loaded = {
  readonly tests: readonly RuleTest[];
  readonly texts: ReadonlyMap<string, string>;
};

function load(file: string): Loaded {
  const tests = readRuleTestFiles(file.replace(/\.yaml$/, ".test.yaml"));
  const [own] = tests.ok ? tests.value : [];
  if (own === undefined) throw new Error(`there are no tests of ${file}`);
  const texts = new Map<string, string>();
  const readText = (path: string): Result<string, string> => {
    const text = readTextFile(path);
    if (text.ok) texts.set(path, text.value);
    return text;
  };
  const loaded = loadRuleTests({ file: own, readText, kinds, actions: actionsByName });
  if (!loaded.ok) throw new Error(`the tests of ${file} have problems`);
  return { tests: loaded.value.tests, texts };
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
