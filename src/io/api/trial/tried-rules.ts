import { actionsByName } from "../../../actions/index.ts";
import { problemWithoutPlace, type Problem } from "../../../config/problem.ts";
import { compileRuleSet, enabledRules } from "../../../config/rules/rules.ts";
import { readYamlSource } from "../../../config/yaml/yaml-source.ts";
import { listAt } from "../../../domain/values/plain-values.ts";
import { counted } from "../../../domain/wording.ts";
import type { Rule } from "../../../domain/rule.ts";
import type { ServerSource } from "../server-source.ts";

/** Rules that a person tries on the present or the past, from a file that is never kept. */

/** The file that problems name. */
export const TRIED_FILE = "rule.yaml";
const MOST_RULES = 10;
const MOST_PROBLEMS = 50;

/** What rules may name besides each other: the rules in force, and what those name, which may be turned off. */
export function namedInForce(inForce: ReadonlyMap<string, Rule>): readonly string[] {
  return [...inForce].flatMap(([name, { inhibitedBy }]) => [name, ...inhibitedBy]);
}

/** They may name the rules in force, such as those that inhibit them. */
export function compileTried(
  { kinds, rules: inForce }: ReturnType<ServerSource["view"]>,
  written: string,
): { readonly problems: readonly Problem[]; readonly rules: readonly Rule[] } {
  const unfit = unfitFor(written);
  if (unfit.length > 0) return { problems: unfit, rules: [] };
  const { problems, compiled } = compileRuleSet({
    files: [{ name: TRIED_FILE, text: written }],
    kinds,
    actions: actionsByName,
    otherAlerts: namedInForce(inForce),
  });
  return { problems: firstOf(problems), rules: problems.length > 0 ? [] : enabledRules(compiled) };
}

/** Each problem has its whole line twice, so that those of one long line would be an answer of 20 MB. */
function firstOf(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MOST_PROBLEMS) return problems;
  const message = `${problems.length - MOST_PROBLEMS} more problems are left out`;
  const last = problemWithoutPlace(TRIED_FILE, "try/too-many", message);
  return [...problems.slice(0, MOST_PROBLEMS), last];
}

/** Whoever may read must not keep the loop busy: why the text is not compiled at all. */
function unfitFor(written: string): readonly Problem[] {
  const read = readYamlSource(TRIED_FILE, written, undefined, 0);
  if (!read.ok) return read.problem;
  const groups = listAt(read.value.value, ["groups"]);
  const count = groups.reduce<number>((sum, group) => sum + listAt(group, ["rules"]).length, 0);
  if (count <= MOST_RULES && groups.length <= MOST_RULES) return [];
  const are = `there ${count === 1 ? "is" : "are"} ${counted(count, "rule")} in ${counted(groups.length, "group")}`;
  const message = `${are}; ${MOST_RULES} can be tried at once`;
  return [problemWithoutPlace(TRIED_FILE, "try/too-many", message)];
}
