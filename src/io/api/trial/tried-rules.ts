import { actionsByName } from "../../../actions/index.ts";
import { problemWithoutPlace, type Problem } from "../../../config/problem.ts";
import { compileRuleSet, enabledRules } from "../../../config/rules/rules.ts";
import type { Rule } from "../../../domain/rule.ts";
import type { ServerSource } from "../server-source.ts";

/** Rules that a person tries on the present or the past, from a file that is never kept. */

/** The file that problems name. */
export const TRIED_FILE = "rule.yaml";
const MOST_RULES = 10;

/** What rules may name besides each other: the rules in force, and what those name, which may be turned off. */
export function namedInForce(inForce: ReadonlyMap<string, Rule>): readonly string[] {
  return [...inForce].flatMap(([name, { inhibitedBy }]) => [name, ...inhibitedBy]);
}

/** They may name the rules in force, such as those that inhibit them. */
export function compileTried(
  { kinds, rules: inForce }: ReturnType<ServerSource["view"]>,
  written: string,
): { readonly problems: readonly Problem[]; readonly rules: readonly Rule[] } {
  const { problems, compiled } = compileRuleSet({
    files: [{ name: TRIED_FILE, text: written }],
    kinds,
    actions: actionsByName,
    otherAlerts: namedInForce(inForce),
  });
  const rules = problems.length > 0 ? [] : enabledRules(compiled);
  if (rules.length <= MOST_RULES) return { problems, rules };
  const message = `there are ${rules.length} rules; ${MOST_RULES} can be tried at once`;
  return { problems: [problemWithoutPlace(TRIED_FILE, "try/too-many", message)], rules: [] };
}
