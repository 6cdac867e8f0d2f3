import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { actionsByName } from "../actions/index.ts";
import { counted } from "../domain/wording.ts";
import { CONFIG_LINTS } from "../config/config-lints.ts";
import { lintConfig } from "../config/lint/lint-config.ts";
import { lintRules, testedNames, type LintResult } from "../config/lint/index.ts";
import { distinctProblems, renderProblems, type Problem } from "../config/problem.ts";
import type { ReadSettings, Settings } from "../config/settings/settings.ts";
import { runbookHref } from "../io/page/runbook.ts";
import { readRuleTestFiles } from "../io/process/files.ts";
import { maxAgeProblems } from "./check-max-age.ts";
import { watchedByFiles, watchNotices } from "./check-watch.ts";
import { CONFIG_OPTION, isAggregatorNamed } from "./config-path.ts";
import { EXIT, type CliCommand } from "./context.ts";
import { problemsOf, readAll, soundOf, type Loaded, type ReadAll } from "./load.ts";

type CheckOptions = {
  readonly config?: string;
  readonly rules?: string;
  readonly json?: boolean;
};

/** `aggwatch check`: reads the config and the rules, and says what is wrong or what was found. */
export const checkCommand: CliCommand<CheckOptions> = {
  name: "check",
  describe: (command) =>
    command
      .description("Checks the config and the rules, and prints every problem and lint in them.")
      .option(...CONFIG_OPTION)
      .option(
        "--rules <directory>",
        "the directory of the rule files (default: AGGWATCH_RULES, the config's, or ./rules); alone it needs no config",
      )
      .option("--json", "print one JSON document; docs/lint.md explains it"),
  run: (options, context) => {
    const isRulesOnly =
      options.rules !== undefined && !isAggregatorNamed(options.config, context.env);
    const read = readAll({
      config: options.config,
      env: isRulesOnly ? { ...context.env, AGGWATCH_BASE_URL: ANY_AGGREGATOR } : context.env,
      flags: { rules: options.rules },
    });
    const loaded = soundOf(read);
    const checked = checkedOf(read);
    const isAboutRules = ({ id }: Problem): boolean => !isRulesOnly || !ABOUT_CONFIG.has(id);
    const lint = { ...checked, problems: checked.problems.filter(isAboutRules) };
    const exitCode = exitCodeOf(lint.problems);
    if (options.json === true) {
      context.output(JSON.stringify(reportOf(loaded, lint), null, 2));
      return Promise.resolve(exitCode);
    }
    if (lint.problems.length > 0) context.complain(renderProblems(lint.problems, context));
    if (loaded !== undefined) context.print(summaryOf(loaded, isRulesOnly));
    return Promise.resolve(exitCode);
  },
};

/** Stands for the aggregator if rules are checked without a config. */
const ANY_AGGREGATOR = "http://aggregator.invalid";

/** Lint that needs a config: only it says which aggregators there are, and what is polled. */
const ABOUT_CONFIG: ReadonlySet<string> = new Set([
  "lint/unknown-aggregator",
  "lint/watches-nothing",
  ...Object.keys(CONFIG_LINTS),
]);

/** All problems, and all lint that does not depend on a key with a problem. */
function checkedOf(read: ReadAll): LintResult {
  const { settings } = read.config;
  const { compiled } = read.rules;
  const lint = lintOf(read);
  const files = (settings?.aggregators ?? []).flatMap((one) => watchedByFiles(one).problems);
  const watched = sureOf(read.config, ["aggregators", "journal"]);
  const acting = sureOf(read.config, ["aggregators", "journal", "actions"]);
  const notices = [
    ...(watched === undefined ? [] : watchNotices(watched)),
    ...(acting === undefined ? [] : maxAgeProblems({ settings: acting, compiled })),
  ];
  const wrong = [...problemsOf(read), ...files];
  const lints = [...(settings?.warnings ?? []), ...notices];
  const ofConfig = lintConfig(lints, settings?.ignores ?? [], wrong.length === 0);
  return {
    problems: distinctProblems([...wrong, ...ofConfig.problems, ...lint.problems]),
    ignored: ofConfig.ignored + lint.ignored,
  };
}

/** The settings, unless a problem makes one of these keys doubtful. */
function sureOf(
  { settings, problems }: ReadSettings,
  keys: readonly (keyof Settings)[],
): Settings | undefined {
  const isElsewhere = ({ id, path = "" }: Problem): boolean => {
    const [top = ""] = /^\w+/.exec(path) ?? [];
    // An unknown key may be one of these keys, misspelt.
    const isMisspelt = id === "config/unknown-key" && path === top;
    return top !== "" && !isMisspelt && !keys.some((key) => key === top);
  };
  return problems.every(isElsewhere) ? settings : undefined;
}

function lintOf({ config, rules }: ReadAll): LintResult {
  const { directory, compiled, sources, problems } = rules;
  const tests = readRuleTestFiles(directory);
  const linted = compiled.flatMap(({ rule, place, language, enabled }) =>
    rule === undefined || language === undefined || !enabled ? [] : [{ rule, place, language }],
  );
  return lintRules(
    {
      rules: linted,
      sources,
      aggregators: sureOf(config, ["aggregators"])?.aggregators ?? [],
      actions: actionsByName,
      tested: testedNames(tests.ok ? tests.value.map(({ text }) => text) : []),
      fileExists: fileNear,
      broken: new Set(problems.map(({ file }) => file)),
    },
    compiled.filter(({ enabled }) => !enabled),
  );
}

/**
 * Whether a file is found from the working directory, beside the file that names it, or one directory above; or is a
 * runbook that comes with aggwatch, which the daemon serves wherever the rules are.
 */
function fileNear(path: string, beside: string): boolean {
  if (runbookHref({ runbook_url: path }) !== undefined) return true;
  if (isAbsolute(path)) return existsSync(path);
  const places = [".", dirname(beside), join(dirname(beside), "..")];
  return places.some((place) => existsSync(join(place, path)));
}

function exitCodeOf(problems: readonly Problem[]): number {
  if (problems.some(({ severity }) => severity === undefined)) return EXIT.problem;
  return problems.some(({ severity }) => severity === "warning") ? EXIT.lint : EXIT.ok;
}

/** The shape of `--json`. Keys are added to it, and never change what they mean. */
export type CheckReport = {
  readonly problems: ReadonlyArray<
    Omit<Problem, "severity"> & { readonly severity: "error" | "warning" | "note" }
  >;
  readonly counts: Readonly<Record<"errors" | "warnings" | "notes" | "ignored", number>>;
  /** Missing if the config or the rules have problems. */
  readonly checked?: Readonly<Record<"files" | "rules" | "aggregators", number>>;
};

function reportOf(loaded: Loaded | undefined, { problems, ignored }: LintResult): CheckReport {
  const all = problems.map((problem) => {
    const severity: "error" | "warning" | "note" = problem.severity ?? "error";
    return { ...problem, severity };
  });
  const count = (wanted: string) => all.filter(({ severity }) => severity === wanted).length;
  return {
    problems: all,
    counts: { errors: count("error"), warnings: count("warning"), notes: count("note"), ignored },
    ...(loaded === undefined
      ? {}
      : {
          checked: {
            files: loaded.ruleFiles.length,
            rules: loaded.rules.length,
            aggregators: loaded.settings.aggregators.length,
          },
        }),
  };
}

function summaryOf({ settings, rules, ruleFiles }: Loaded, isRulesOnly: boolean): string {
  const { aggregators, actions } = settings;
  const watched = [counted(aggregators.length, "aggregator"), `actions: ${actions.mode}`];
  return [
    counted(ruleFiles.length, "file"),
    counted(rules.length, "rule"),
    ...(isRulesOnly ? ["no config"] : watched),
  ].join(", ");
}
