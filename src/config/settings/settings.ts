import { dirname, isAbsolute, join } from "node:path";
import type { KeptReplies } from "../../domain/reply.ts";
import { fail, succeed } from "../../domain/result.ts";
import type { Result } from "../../domain/result.ts";
import type { Scope } from "../../domain/hold.ts";
import type { Millis } from "../../domain/time.ts";
import { checkShape } from "../yaml/check-shape.ts";
import type { ShapeProblem } from "../yaml/check-shape.ts";
import { overlayEnvironment } from "./environment.ts";
import type { Environment, Flags } from "./environment.ts";
import { isRecord, layersOf, originOf, placeProblem } from "../yaml/layers.ts";
import type { Layers } from "../yaml/layers.ts";
import type { Problem } from "../problem.ts";
import { sortProblems } from "../problem.ts";
import { resolveActions } from "./resolve-actions.ts";
import type { ActionSettings } from "./resolve-actions.ts";
import { resolveHeartbeat } from "./resolve-heartbeat.ts";
import type { HeartbeatSettings } from "./resolve-heartbeat.ts";
import { resolveNotify } from "./resolve-notify.ts";
import type { NotifySettings } from "./resolve-notify.ts";
import { resolveAggregators } from "./resolve-aggregator.ts";
import type { AggregatorSettings } from "./resolve-aggregator.ts";
import { settingsSchema } from "./settings-schema.ts";
import type { LogFormat, LogLevel, SettingsText } from "./settings-schema.ts";
import { readTokens } from "./tokens.ts";
import type { Token } from "./tokens.ts";
import { nodeAt, readYamlSource } from "../yaml/yaml-source.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";

export type { AggregatorSettings, Credential, PollerSettings } from "./resolve-aggregator.ts";

/** The whole config, checked and resolved. */
export type Settings = {
  /** Undefined: no dead man's switch. */
  readonly heartbeat: HeartbeatSettings | undefined;
  /** A loop that stands still for so long ends the process; 0: never. */
  readonly stuckAfterMs: Millis;
  readonly listen: { readonly host: string; readonly port: number };
  readonly dataDirectory: string;
  readonly rulesDirectory: string;
  readonly record: {
    readonly retentionMs: Millis;
    readonly maxBytes: number;
    readonly replies: { readonly keep: KeptReplies; readonly maxBytes: number };
  };
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  readonly aggregators: readonly AggregatorSettings[];
  readonly actions: ActionSettings;
  readonly maintenance: readonly MaintenanceSettings[];
  readonly notify: NotifySettings;
  readonly server: {
    readonly tokensFile: string | undefined;
    /** Undefined: no tokens file, and writing calls are off. */
    readonly tokens: readonly Token[] | undefined;
  };
};

/** A recurring hold. */
export type MaintenanceSettings = {
  readonly name: string;
  /** Cron with five fields, in the time zone. */
  readonly schedule: string;
  readonly timeZone: string;
  readonly durationMs: Millis;
  readonly scope: Scope;
  readonly reason: string;
};

export type SettingsInput = {
  readonly file?: { readonly name: string; readonly text: string };
  readonly env: Environment;
  readonly flags: Flags;
  /** Reads a file that the config names; the problem says why it cannot be read. */
  readonly readText: (path: string) => Result<string, string>;
  readonly checks?: readonly SettingsCheck[];
};

/**
 * A further check of sound settings by those who know more, such as whether a wire profile compiles.
 * `path` is in the config's own keys: `["aggregators", 0, "wire", "disabled", "map"]`.
 */
export type SettingsCheck = (settings: Settings) => ReadonlyArray<{
  readonly path: YamlPath;
  readonly message: string;
  readonly hint?: string;
  /** Default: `config/bad-value`. */
  readonly id?: string;
}>;

/** Reads the config: file, then environment, then flags. Gives every problem in all of them. */
export function loadSettings(input: SettingsInput): Result<Settings, readonly Problem[]> {
  const read = input.file && readYamlSource(input.file.name, input.file.text);
  const problems: Problem[] = read?.ok === false ? [...read.problems] : [];
  const source = read?.ok === true ? read.source : undefined;
  const layers = layersOf(source);
  problems.push(...overlayEnvironment(layers, input.env, input.flags));
  // A file that is no mapping is said to be so, unless it is empty.
  const whole = source?.value;
  const isMapping = whole === null || whole === undefined || isRecord(whole);
  const checked = checkShape(settingsSchema, isMapping ? layers.value : whole);
  problems.push(...checked.problems.map((problem) => placeProblem(layers, problem)));
  // A file that cannot be read may well hold what would be missed here.
  if (checked.value === undefined || read?.ok === false) return fail(sortProblems(problems));
  const report = (problem: ShapeProblem): void => {
    problems.push(placeProblem(layers, problem));
  };
  const resolved = resolve(checked.value, layers, input, report, checked.problems);
  const server = resolveServer(checked.value, layers, input, report, problems);
  const settings = { ...resolved, server };
  if (problems.length > 0) return fail(sortProblems(problems));
  for (const check of input.checks ?? [])
    for (const found of check(settings)) report({ id: "config/bad-value", ...found, at: "value" });
  return problems.length > 0 ? fail(sortProblems(problems)) : succeed(settings);
}

/** Where rules or journal are, as far as can be told while the rest of the config may have problems. */
export function findDirectory(
  key: "rules" | "data",
  input: Pick<SettingsInput, "file" | "env" | "flags">,
): string {
  const read = input.file && readYamlSource(input.file.name, input.file.text);
  const layers = layersOf(read?.ok === true ? read.source : undefined);
  overlayEnvironment(layers, input.env, input.flags);
  const value = layers.value[key];
  return filePath(layers, [key], typeof value === "string" && value !== "" ? value : `./${key}`);
}

function resolve(
  text: SettingsText,
  layers: Layers,
  input: SettingsInput,
  report: (problem: ShapeProblem) => void,
  known: readonly ShapeProblem[],
): Omit<Settings, "server"> {
  const pathFrom = (path: YamlPath, value: string) => filePath(layers, path, value);
  const dataDirectory = pathFrom(["data"], text.data);
  const { actions } = text;
  const { env, readText } = input;
  const colon = text.listen.lastIndexOf(":");
  const secretsFrom = { known, report, pathFrom, env: input.env, readText: input.readText };
  return {
    heartbeat: resolveHeartbeat(secretsFrom, text.notify.heartbeat),
    stuckAfterMs: text.stuck_after,
    listen: {
      host: text.listen.slice(0, colon).replace(/^\[|\]$/g, "") || "0.0.0.0",
      port: Number(text.listen.slice(colon + 1)),
    },
    dataDirectory,
    rulesDirectory: pathFrom(["rules"], text.rules),
    record: recordOf(text),
    log: text.log,
    aggregators: resolveAggregators({
      texts: text.aggregators,
      known,
      report,
      pathFrom,
      env,
      readText,
    }),
    notify: resolveNotify({ known, report, pathFrom, env, readText }, text.notify),
    maintenance: text.maintenance.map(({ time_zone, duration, scope, ...rest }) => ({
      ...rest,
      timeZone: time_zone,
      durationMs: duration,
      scope: withoutUndefined(scope),
    })),
    actions: resolveActions(
      actions,
      actions.kill_file === undefined
        ? join(dataDirectory, "KILL")
        : pathFrom(["actions", "kill_file"], actions.kill_file),
    ),
  };
}

/** Reads the tokens file. What is wrong in it has a place of its own, so it goes to `problems`. */
function resolveServer(
  { server }: SettingsText,
  layers: Layers,
  input: SettingsInput,
  report: (problem: ShapeProblem) => void,
  problems: Problem[],
): Settings["server"] {
  const given = server.tokens_file ?? undefined;
  if (given === undefined) return { tokensFile: undefined, tokens: undefined };
  const path = ["server", "tokens_file"];
  const tokensFile = filePath(layers, path, given);
  const read = input.readText(tokensFile);
  if (!read.ok) {
    const message = `the tokens file ${tokensFile} cannot be read: ${read.problem}`;
    report({ id: "config/secret", path, at: "value", message });
    return { tokensFile, tokens: undefined };
  }
  const tokens = readTokens(tokensFile, read.value);
  if (!tokens.ok) problems.push(...tokens.problem);
  return { tokensFile, tokens: tokens.ok ? tokens.value : undefined };
}

function withoutUndefined(scope: { readonly [Key in keyof Scope]: Scope[Key] | undefined }): Scope {
  return Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));
}

/**
 * A path that is written in the config file starts at that file's directory. One from a flag, from
 * a variable or from a default starts at the working directory.
 */
function filePath(layers: Layers, path: YamlPath, value: string): string {
  const { source } = layers;
  const isInFile =
    source !== undefined && originOf(layers, path) === undefined && nodeAt(source, path).found;
  return isInFile && !isAbsolute(value) ? join(dirname(source.file), value) : value;
}

function recordOf({ record }: SettingsText): Settings["record"] {
  const { keep, max_size: maxBytes } = record.replies;
  return {
    retentionMs: record.retention,
    maxBytes: record.max_size,
    replies: { keep, maxBytes },
  };
}
