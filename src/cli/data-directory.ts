import { CONFIG_VARIABLE } from "../config/variables.ts";
import { findDirectory } from "../config/settings/settings.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import { readTextFile } from "../io/process/files.ts";
import type { CliContext } from "./context.ts";

/** As the daemon finds it: by the flag, the environment, the config file. Nothing else in that file matters here. */
export function dataDirectory(
  { config, data }: { readonly config?: string; readonly data?: string },
  { env }: CliContext,
): Result<string, string> {
  const path = config ?? env[CONFIG_VARIABLE];
  const flags = data === undefined ? {} : { data };
  if (path === undefined || path === "") return succeed(findDirectory("data", { env, flags }));
  const text = readTextFile(path);
  if (!text.ok) return fail(`${path}: ${text.problem}`);
  return succeed(findDirectory("data", { file: { name: path, text: text.value }, env, flags }));
}
