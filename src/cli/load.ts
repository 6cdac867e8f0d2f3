import { fileURLToPath } from "node:url";
import { actionsByName } from "../actions/index.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import type { Rule } from "../domain/rule.ts";
import type { Environment, Flags } from "../config/settings/environment.ts";
import { problemWithoutPlace, renderProblems, sortProblems } from "../config/problem.ts";
import type { Problem } from "../config/problem.ts";
import type { CompiledRule } from "../config/rules/compile-rule.ts";
import { compileRuleSet, enabledRules } from "../config/rules/rules.ts";
import type { YamlSource } from "../config/yaml/yaml-source.ts";
import { maintenanceCheck } from "../config/maintenance-scope.ts";
import { leaseCheck } from "../config/settings/journal.ts";
import { shardsCheck } from "../config/rate-shares.ts";
import { findDirectory, readSettings } from "../config/settings/settings.ts";
import type { ReadSettings, Settings, SettingsCheck } from "../config/settings/settings.ts";
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
  /** The rules are only tried, without the aggregators: maintenance windows need not fit to them. */
  readonly isTrial?: true;
};

export type Loaded = { readonly settings: Settings } & ReadRules;

/**
 * Reads and checks the config and all rules. If anything is wrong, gives the text of every
 * problem in both, ready to print.
 */
export function loadAll(input: LoadInput): Result<Loaded, string> {
  const read = readAll(input);
  const loaded = soundOf(read);
  return loaded ? succeed(loaded) : fail(renderProblems(problemsOf(read)));
}

export function problemsOf({ config, rules }: ReadAll): readonly Problem[] {
  return sortProblems([...config.problems, ...rules.problems]);
}

/** Undefined if anything is wrong. */
export function soundOf({ config, rules }: ReadAll): Loaded | undefined {
  const { settings, problems } = config;
  if (settings === undefined || problems.length + rules.problems.length > 0) return undefined;
  return { settings, ...rules };
}

/** What could be read of config and rules, and what is wrong in each. */
export type ReadAll = { readonly config: ReadSettings; readonly rules: ReadRules };

/** Like `loadAll`, but gives what could be read even if there are problems, so that more can be found. */
export function readAll(input: LoadInput): ReadAll {
  const { reader = FILE_READER, checks = [] } = input;
  const path = configPath(input.config, input.env);
  const file = path === undefined ? undefined : readConfig(path, reader);
  const { env, flags } = input;
  const given = { ...(file?.ok === true ? { file: file.value } : {}), env, flags };
  const rules = readRules(findDirectory("rules", given), reader);
  // Without its file, the config would be reported to lack what is in there.
  const config: ReadSettings =
    file?.ok === false
      ? { settings: undefined, problems: file.problem }
      : readSettings({
          ...given,
          readText: reader.readText,
          isWorldWritable: reader.isWorldWritable,
          checks: [
            wireCheck,
            notifyCheck,
            leaseCheck,
            shardsCheck,
            ...(input.isTrial === true ? [] : [maintenanceCheck(namesOf(rules))]),
            ...checks,
          ],
        });
  const isUnread = rules.ruleFiles.length === 0 && !isDirectoryKnown(input, config);
  return { config, rules: isUnread ? { ...rules, problems: [] } : rules };
}

/** The names of all rules, enabled or not; undefined if a rule may be missing. */
function namesOf({ compiled, problems }: ReadRules): readonly string[] | undefined {
  return problems.length > 0 ? undefined : compiled.map(({ alert }) => alert);
}

/** If the config cannot be read, it may be what says where the rules are. */
function isDirectoryKnown(
  { env, flags }: LoadInput,
  { settings, problems }: ReadSettings,
): boolean {
  if (problems.some(({ path }) => path === "rules")) return false;
  const isGiven = [flags.rules, env["AGGWATCH_RULES"]].some((given = "") => given !== "");
  return settings !== undefined || isGiven;
}

/** Reads and compiles the rules of a directory, for the start and for a reload alike. */
export function loadRules(directory: string): Result<ReadRules, readonly Problem[]> {
  const read = readRules(directory, FILE_READER);
  return read.problems.length > 0 ? fail(read.problems) : succeed(read);
}

export const RULES_OPTION = [
  "--rules <directory>",
  "the directory of the rule files (default: AGGWATCH_RULES, the config's, or ./rules)",
] as const;

/** The rules of a directory: those that compile, and the problems of the others. */
type ReadRules = {
  readonly directory: string;
  readonly ruleFiles: readonly NamedText[];
  /** Those that are enabled. */
  readonly rules: readonly Rule[];
  /** The place of each rule, also of those that are not enabled. */
  readonly compiled: readonly CompiledRule[];
  readonly sources: readonly YamlSource[];
  readonly problems: readonly Problem[];
};

function readRules(directory: string, reader: Reader): ReadRules {
  const files = reader.readRules(directory);
  const shipped = fileURLToPath(shippedFile("rules"));
  const where = `say where the rules are: --rules, AGGWATCH_RULES, or rules in the config file (aggwatch comes with some, to use or to copy: ${shipped})`;
  const refused = (id: string, message: string, hint?: string): ReadRules => {
    const problems = [problemWithoutPlace(directory, id, message, hint)];
    return { directory, ruleFiles: [], rules: [], compiled: [], sources: [], problems };
  };
  if (!files.ok) {
    const hint = /^(?:no such|is not a)/.test(files.problem) ? where : undefined;
    return refused("rule/unreadable", `the rules cannot be read: ${files.problem}`, hint);
  }
  if (files.value.length === 0)
    return refused("rule/none", "there is no rule file (*.yaml)", where);
  const set = compileRuleSet({ files: files.value, kinds, actions: actionsByName });
  return { directory, ruleFiles: files.value, rules: enabledRules(set.compiled), ...set };
}

function readConfig(path: string, reader: Reader): Result<NamedText, readonly Problem[]> {
  const read = reader.readText(path);
  if (read.ok) return succeed({ name: path, text: read.value });
  const message = `the config file cannot be read: ${read.problem}`;
  return fail([problemWithoutPlace(path, "config/unreadable", message)]);
}
