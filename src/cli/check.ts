import type { CliCommand } from "./context.ts";
import { EXIT } from "./context.ts";
import { loadAll } from "./load.ts";
import type { Loaded } from "./load.ts";

type CheckOptions = { readonly config?: string; readonly rules?: string };

/** `aggwatch check`: reads the config and the rules, and says what is wrong or what was found. */
export const checkCommand: CliCommand<CheckOptions> = {
  name: "check",
  describe: (command) =>
    command
      .description("Checks the config and the rules, and prints every problem in them.")
      .option("--config <file>", "the config file (default: AGGWATCH_CONFIG, or none)")
      .option("--rules <directory>", "the directory of the rule files (default: ./rules)"),
  run: (options, context) => {
    const loaded = loadAll({
      config: options.config,
      env: context.env,
      flags: { rules: options.rules },
    });
    if (!loaded.ok) {
      context.complain(loaded.problem);
      return Promise.resolve(EXIT.problem);
    }
    context.print(summaryOf(loaded.value));
    return Promise.resolve(EXIT.ok);
  },
};

function summaryOf({ settings, rules, ruleFiles }: Loaded): string {
  return [
    counted(ruleFiles.length, "file"),
    counted(rules.length, "rule"),
    counted(settings.aggregators.length, "aggregator"),
    `actions: ${settings.actions.mode}`,
  ].join(", ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
