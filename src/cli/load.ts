import { fileURLToPath } from "node:url";
import { actionsByName } from "../actions/index.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import type { Rule } from "../domain/rule.ts";
import type { Environment, Flags } from "../config/settings/environment.ts";
import { problemWithoutPlace, renderProblems, type Problem } from "../config/problem.ts";
import type { CompiledRule } from "../config/rules/compile-rule.ts";
import { compileRuleSet, enabledRules } from "../config/rules/rules.ts";
import type { YamlSource } from "../config/yaml/yaml-source.ts";
import { leaseCheck } from "../config/settings/journal.ts";
import { shardsCheck } from "../config/rate-shares.ts";
import { findDirectory, loadSettings } from "../config/settings/settings.ts";
import type { Settings, SettingsCheck } from "../config/settings/settings.ts";
import type { NamedText } from "../io/process/files.ts";
import { shippedFile } from "../io/process/own-files.ts";
import { kinds } from "../pollers/kinds.ts";
import { notifyCheck } from "../run/notify-destination.ts";
import { configPath } from "./config-path.ts";
import { FILE_READER, type Reader } from "./reader.ts";
import { wireCheck } from "./wire-check.ts";

export type LoadInput = {
  /** The config file's path. Without it, `AGGWATCH_CONFIG`; without that, no file is read. */
  readonly config?: string | undefined;
  readonly env: Environment;
  readonly flags: Flags;
  /** Further checks of the settings, with their places. */
  readonly checks?: readonly SettingsCheck[];
  /** Default: the files themselves. */
  readonly reader?: Reader;
};

export type Loaded = {
  readonly settings: Settings;
  readonly rules: readonly Rule[];
  readonly ruleFiles: readonly NamedText[];
  /** The place of each rule, also of those that are not enabled. */
  readonly compiled: readonly CompiledRule[];
  readonly sources: readonly YamlSource[];
};

/**
 * Reads and checks the config and all rules. If anything is wrong, gives the text of every
 * problem in both, ready to print.
 */
export function loadAll(input: LoadInput): Result<Loaded, string> {
  const loaded = loadChecked(input);
  return loaded.ok ? loaded : fail(renderProblems(loaded.problem));
}

/** As `loadAll`, with the problems as values. */
export function loadChecked(input: LoadInput): Result<Loaded, readonly Problem[]> {
  const problems: Problem[] = [];
  const { reader = FILE_READER, checks = [] } = input;
  const path = configPath(input.config, input.env);
  const file = path === undefined ? undefined : readConfig(path, reader, problems);
  const given = { ...(file === undefined ? {} : { file }), env: input.env, flags: input.flags };
  const directory = findDirectory("rules", given);
  const rules = loadRules(directory, reader);
  if (!rules.ok) problems.push(...rules.problem);
  // Without its file, the config would only be blamed for what is in there.
  if (problems.length > 0 && path !== undefined && file === undefined) return fail(problems);
  const settings = loadSettings({
    ...given,
    readText: reader.readText,
    checks: [wireCheck, notifyCheck, leaseCheck, shardsCheck, ...checks],
  });
  if (!settings.ok) problems.push(...settings.problem);
  if (!settings.ok || !rules.ok) return fail(problems);
  return succeed({ settings: settings.value, ...rules.value });
}

/** Reads and compiles the rules of a directory, for the start and for a reload alike. */
export function loadRules(
  directory: string,
  reader: Reader = FILE_READER,
): Result<Omit<Loaded, "settings">, readonly Problem[]> {
  const files = reader.readRules(directory);
  const shipped = fileURLToPath(shippedFile("rules"));
  const hint = `say where the rules are: --rules, AGGWATCH_RULES, or rules in the config file (aggwatch comes with some, to use or to copy: ${shipped})`;
  const refused = (id: string, message: string) =>
    fail([problemWithoutPlace(directory, id, message, hint)]);
  if (!files.ok) return refused("rule/unreadable", `the rules cannot be read: ${files.problem}`);
  if (files.value.length === 0) return refused("rule/none", "there is no rule file (*.yaml)");
  const { compiled, sources, problems } = compileRuleSet({
    files: files.value,
    kinds,
    actions: actionsByName,
  });
  if (problems.length > 0) return fail(problems);
  return succeed({ rules: enabledRules(compiled), ruleFiles: files.value, compiled, sources });
}

function readConfig(path: string, reader: Reader, problems: Problem[]): NamedText | undefined {
  const read = reader.readText(path);
  if (read.ok) return { name: path, text: read.value };
  const message = `the config file cannot be read: ${read.problem}`;
  problems.push(problemWithoutPlace(path, "config/unreadable", message));
  return undefined;
}
