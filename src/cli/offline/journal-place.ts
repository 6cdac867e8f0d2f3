import { renderProblems } from "../../config/problem.ts";
import { findDatabase, findDirectory } from "../../config/settings/settings.ts";
import { readYamlFile } from "../../config/yaml/yaml-source.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { readTextFile, type NamedText } from "../../io/process/files.ts";
import { configPath } from "../config-path.ts";
import { variable, type CliContext } from "../context.ts";

/** Where the journal is, as the daemon finds it. Nothing else in the config matters here. */

/** By the flag, the environment, the config file. */
export function dataDirectory(
  { config, data }: { readonly config?: string; readonly data?: string },
  { env }: CliContext,
): Result<string, string> {
  const read = configFile(config, env);
  if (!read.ok) return read;
  const yaml = read.value.file && readYamlFile(read.value.file);
  // It may be what says where the directory is.
  if (yaml?.ok === false && data === undefined && variable({ env }, "AGGWATCH_DATA") === undefined)
    return fail(renderProblems(yaml.problem));
  const flags = data === undefined ? {} : { data };
  return succeed(findDirectory("data", { ...read.value, env, flags }));
}

/** The address of the database; undefined if the journal is a file. */
export function databaseUrl(
  config: string | undefined,
  { env }: Pick<CliContext, "env">,
): Result<string | undefined, string> {
  const read = configFile(config, env);
  if (!read.ok) return read;
  const found = findDatabase({ ...read.value, env, flags: {}, readText: readTextFile });
  if (!found.ok) return fail(renderProblems(found.problem));
  return succeed(found.value?.reveal());
}

function configFile(
  config: string | undefined,
  env: CliContext["env"],
): Result<{ readonly file?: NamedText }, string> {
  const path = configPath(config, env);
  if (path === undefined) return succeed({});
  const text = readTextFile(path);
  if (!text.ok) return fail(`${path}: ${text.problem}`);
  return succeed({ file: { name: path, text: text.value } });
}
