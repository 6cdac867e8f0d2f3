import { CONFIG_VARIABLE } from "../config/variables.ts";
import type { CliContext } from "./context.ts";

/** The path of the config file, by the flag or the environment; undefined if there is none. */
export function configPath(flag: string | undefined, env: CliContext["env"]): string | undefined {
  const path = flag ?? env[CONFIG_VARIABLE];
  return path === "" ? undefined : path;
}
