import { CONFIG_VARIABLE } from "../../config/variables.ts";
import { renderProblems } from "../../config/problem.ts";
import { findDatabase } from "../../config/settings/settings.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { readTextFile } from "../../io/process/files.ts";
import type { CliContext } from "../context.ts";
import { FILE_READER } from "../reader.ts";

/** The database as the daemon finds it, undefined if its journal is a file. Nothing else in the config matters here. */
export function databaseUrl(
  config: string | undefined,
  { env }: Pick<CliContext, "env">,
): Result<string | undefined, string> {
  const path = config ?? env[CONFIG_VARIABLE];
  const { readText } = FILE_READER;
  const text = path === undefined || path === "" ? undefined : readTextFile(path);
  if (text?.ok === false) return fail(`${path}: ${text.problem}`);
  const file = text && { file: { name: path ?? "", text: text.value } };
  const found = findDatabase({ ...file, env, flags: {}, readText });
  if (!found.ok) return fail(renderProblems(found.problem));
  return succeed(found.value?.reveal());
}
