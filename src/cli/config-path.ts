import { CONFIG_VARIABLE } from "../config/variables.ts";
import type { CliContext } from "./context.ts";

export const CONFIG_OPTION = [
  "--config <file>",
  "the config file (default: AGGWATCH_CONFIG, or none)",
] as const;

/** The path of the config file, by the flag or the environment; undefined if there is none. */
export function configPath(flag: string | undefined, env: CliContext["env"]): string | undefined {
  const path = flag ?? env[CONFIG_VARIABLE];
  return path === "" ? undefined : path;
}

/** Whether anything says which aggregators there are. */
export function isAggregatorNamed(flag: string | undefined, env: CliContext["env"]): boolean {
  return configPath(flag, env) !== undefined || namesAggregator(env);
}

const AGGREGATOR_VARIABLE = /^AGGWATCH_(?:AGGREGATORS_\d+_)?BASE_URL$/;

/** Whether the environment says where an aggregator is: the one, or one by its position. */
function namesAggregator(env: CliContext["env"]): boolean {
  return Object.entries(env).some(
    ([name, value = ""]) => value !== "" && AGGREGATOR_VARIABLE.test(name),
  );
}
