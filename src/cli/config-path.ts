import { CONFIG_VARIABLE } from "../config/variables.ts";
import type { CliContext } from "./context.ts";

/** The path of the config file, by the flag or the environment; undefined if there is none. */
export function configPath(flag: string | undefined, env: CliContext["env"]): string | undefined {
  const path = flag ?? env[CONFIG_VARIABLE];
  return path === "" ? undefined : path;
}

const AGGREGATOR_VARIABLE = /^AGGWATCH_(?:AGGREGATORS_\d+_)?BASE_URL$/;

/** Whether the environment says where an aggregator is: the one, or one by its position. */
export function namesAggregator(env: CliContext["env"]): boolean {
  return Object.entries(env).some(
    ([name, value = ""]) => value !== "" && AGGREGATOR_VARIABLE.test(name),
  );
}
