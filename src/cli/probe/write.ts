import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { renderProblems } from "../../config/problem.ts";
import { loadSettings } from "../../config/settings/settings.ts";
import { counted } from "../../domain/wording.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { ProbeReport } from "../../io/probe/probe.ts";
import { configText, isWritten } from "../../io/probe/write-config.ts";
import { messageOf } from "../../domain/error-message.ts";
import { FILE_READER } from "../reader.ts";
import { wireCheck } from "../wire-check.ts";
import { replaceFile } from "./replace-file.ts";

/** `--write FILE`: the config with all that the probe suggests. */
export type WriteOptions = {
  readonly file: string;
  readonly force: boolean;
  /** The config that the probe was made with; undefined if there was none. */
  readonly config: string | undefined;
  /** The address that the command line gave, which is the first aggregator's. */
  readonly baseUrl: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Why the file must not be written, to be said before anything is asked. */
export function writeProblem({ file, force, config }: WriteOptions): string | undefined {
  const isElsewhere = config !== undefined && dirname(resolve(config)) !== dirname(resolve(file));
  if (isElsewhere)
    return `--write: ${file} must be in the directory of ${config}, because the paths in it begin there`;
  if (force || !existsSync(file)) return undefined;
  const known = FILE_READER.readText(file);
  return known.ok && isWritten(known.value)
    ? undefined
    : `--write: ${file} exists, and no probe has written it: give another name, or --force`;
}

export type ProbedAggregator = {
  readonly name: string;
  readonly baseUrl: string;
  readonly report: ProbeReport;
};

/** Writes the file. Gives what to say of it, or why it could not be written. */
export function writeSuggested(
  options: WriteOptions,
  reports: readonly ProbedAggregator[],
): Result<string, string> {
  const { file, config, baseUrl, env } = options;
  const own = config === undefined ? undefined : FILE_READER.readText(config);
  if (own?.ok === false) return fail(`${config}: the config file cannot be read: ${own.problem}`);
  const aggregators = reports.map(({ report, ...one }) => ({ ...one, settings: report.settings }));
  const text = configText({ text: own?.value, baseUrl, aggregators });
  if (!text.ok) return fail(`--write: ${text.problem}`);
  const loaded = loadSettings({
    file: { name: file, text: text.value },
    env,
    flags: {},
    readText: FILE_READER.readText,
    checks: [wireCheck],
  });
  if (!loaded.ok) return fail(`--write: nothing was written.\n${renderProblems(loaded.problem)}`);
  // What appeared meanwhile is not to be overwritten either.
  const problem = writeProblem(options);
  if (problem !== undefined) return fail(problem);
  try {
    replaceFile(file, text.value);
  } catch (error) {
    return fail(`--write: ${file} cannot be written: ${messageOf(error)}`);
  }
  const count = aggregators.reduce((sum, { settings }) => sum + settings.length, 0);
  const isMoved = baseUrl !== undefined && config !== undefined;
  const what = [
    ...(count === 0 ? [] : [counted(count, "suggested setting")]),
    ...(isMoved ? ["the address that was probed"] : []),
  ];
  const usual = config === undefined ? "with the address alone" : "unchanged";
  const how =
    what.length === 0 ? `${usual}: there is nothing to suggest` : `with ${what.join(" and ")}`;
  return succeed(`Wrote ${file}, ${how}. Probe again: aggwatch probe --config ${file}`);
}
