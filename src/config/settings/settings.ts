import { dirname, join } from "node:path";
import { madeOnce } from "../../domain/lists/changed-items.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { anchorPaths } from "../yaml/anchor-paths.ts";
import { checkShape } from "../yaml/check-shape.ts";
import type { ShapeProblem } from "../yaml/shape-problem.ts";
import { isMisspelt, isStandIn } from "../yaml/known-problems.ts";
import { overlayEnvironment, type Environment, type Flags } from "./environment.ts";
import { layersOf, placeProblem } from "../yaml/layers.ts";
import { isRecord } from "../../domain/values/plain-values.ts";
import { distinctProblems, sortProblems, type Problem } from "../problem.ts";
import { sameNames } from "../same-names.ts";
import { resolveHeartbeat, type HeartbeatSettings } from "./resolve-heartbeat.ts";
import { resolveJournal, type PostgresSettings } from "./journal.ts";
import { resolveNotify, type NotifySettings } from "./resolve-notify.ts";
import { nameOf, resolveAggregators, type AggregatorSettings } from "./resolve-aggregator.ts";
import type { Resolving } from "./resolving.ts";
import { entriesOf, fileEntry, keyAt, secretEntry } from "./setting-entries.ts";
import type { SettingEntry } from "./setting-entries.ts";
import { secret, type Secret } from "./secret.ts";
import { moveRenamedKeys } from "../renamed-keys.ts";
import { journalSchema, settingsSchema, type ParsedSettings } from "./settings-schema.ts";
import { resolveTokens, type Token } from "./tokens.ts";
import { ignoresOf, type Ignore } from "../yaml/ignore-comments.ts";
import { pathText, readableSource, readYamlFile } from "../yaml/yaml-source.ts";
import type { YamlPath, YamlSource } from "../yaml/yaml-source.ts";

/** The whole config: as the schema reads it, with what is beyond a single key resolved. */
export type Settings = Omit<
  ParsedSettings,
  "listen" | "actions" | "aggregators" | "journal" | "notify" | "server"
> & {
  readonly actions: ParsedSettings["actions"] & { readonly killFile: string };
  readonly aggregators: readonly AggregatorSettings[];
  /** Undefined: no dead man's switch. */
  readonly heartbeat: HeartbeatSettings | undefined;
  /** Without PostgreSQL, it is a file in the directory `data`. */
  readonly journal: { readonly postgres: PostgresSettings | undefined; readonly shards: number };
  readonly listen: { readonly host: string; readonly port: number };
  readonly notify: NotifySettings;
  readonly server: ParsedSettings["server"] & {
    /** Undefined: no tokens file, and writing calls are off. */
    readonly tokens: readonly Token[] | undefined;
  };
  /** What is valid, and unwise or not accepted by a later version; also what a comment ignores. */
  readonly warnings: readonly Problem[];
  /** The comments of the file that ignore a lint. */
  readonly ignores: readonly Ignore[];
  /** Finds the place of a further problem, of which only the path is known. */
  readonly place: (problem: ShapeProblem) => Problem;
  /** Every key as one line, for comparing it with the next config. */
  readonly entries: readonly SettingEntry[];
};

type SettingsInput = {
  readonly file?: { readonly name: string; readonly text: string };
  readonly env: Environment;
  readonly flags: Flags;
  /** Reads a file that the config names; the problem says why it cannot be read. */
  readonly readText: Resolving["readText"];
  /** Default: no file is. */
  readonly isWorldWritable?: Resolving["isWorldWritable"];
  readonly checks?: readonly SettingsCheck[];
};

/**
 * A further check of valid settings by code that knows more, such as whether a wire profile compiles.
 * `path` is in the config's own keys: `["aggregators", 0, "wire", "disabled", "map"]`.
 */
export type SettingsCheck = (settings: Settings) => ReadonlyArray<{
  readonly path: YamlPath;
  /** Other keys that it depends on: if one of them has a problem, this one is not reported. */
  readonly follows?: readonly YamlPath[];
  readonly message: string;
  readonly hint?: string | undefined;
  /** Default: `config/bad-value`. */
  readonly id?: string;
}>;

/** Reads the config: file, then environment, then flags. Gives every problem in all of them. */
export function loadSettings(input: SettingsInput): Result<Settings, readonly Problem[]> {
  const { settings, problems } = readSettings(input);
  return settings === undefined || problems.length > 0 ? fail(problems) : succeed(settings);
}

export type ReadSettings = {
  /**
   * If there are problems, these are the settings with defaults in place of what is wrong, and only good for finding
   * more problems. Undefined if too little is left for that.
   */
  readonly settings: Settings | undefined;
  /** The problems of all stages, in the order of their places. */
  readonly problems: readonly Problem[];
};

/** Like `loadSettings`, but also gives what could be read if there are problems. */
export function readSettings(input: SettingsInput): ReadSettings {
  const { read, layers, problems } = readLayers(input);
  const renamed = moveRenamedKeys(layers);
  const warnings = renamed.filter(({ severity }) => severity !== undefined);
  problems.push(...renamed.filter(({ severity }) => severity === undefined));
  // A file that is not a mapping is said to be so, unless it is empty.
  const whole = layers.source?.value;
  const isMapping = whole === null || whole === undefined || isRecord(whole);
  const checked = checkShape(settingsSchema, isMapping ? layers.value : whole, {
    top: "the top level",
  });
  problems.push(...checked.problems.map((problem) => placeProblem(layers, problem)));
  // What seems to be missing may be in a file that cannot be read.
  if (checked.value === undefined || (read !== undefined && layers.source === undefined))
    return { settings: undefined, problems: distinctProblems(problems) };
  const known = [...checked.problems];
  const place = (problem: ShapeProblem): Problem => placeProblem(layers, problem);
  const report = (problem: ShapeProblem): void => {
    if (isStandIn({ known: checked.problems }, problem.path)) return;
    known.push(problem);
    problems.push(place(problem));
  };
  const warn = (problem: ShapeProblem): void => {
    if (!isStandIn({ known: checked.problems }, problem.path))
      warnings.push({ severity: "warning", ...place(problem) });
  };
  const reporting = { known: checked.problems, report, warn };
  const resolved = resolve(checked.value, input, reporting, problems);
  const ignores = layers.source === undefined ? [] : ignoresOf(layers.source);
  const settings: Settings = { ...resolved, warnings: sortProblems(warnings), ignores, place };
  for (const check of input.checks ?? [])
    for (const { follows = [], ...found } of check(settings))
      if (!isStandIn({ known }, found.path) && !follows.some((path) => isMisspelt({ known }, path)))
        problems.push(place({ id: "config/bad-value", ...found }));
  return { settings, problems: distinctProblems(problems) };
}

/** The file's own values, with its paths as they are from the working directory. */
const anchored = madeOnce((source: YamlSource) => ({
  ...source,
  value: anchorPaths(settingsSchema, source.value, dirname(source.file)),
}));

type LayersInput = Pick<SettingsInput, "file" | "env" | "flags">;

/** The file, if there is one, under the variables and the flags. */
function readLayers({ file, env, flags }: LayersInput) {
  const read = file && readYamlFile(file);
  const source = read && readableSource(read);
  const layers = layersOf(source && anchored(source));
  const problems: Problem[] = read?.ok === false ? [...read.problem] : [];
  problems.push(...overlayEnvironment(layers, env, flags));
  return { read, layers, problems };
}

/** The directory of the rules or of the journal, even if the rest of the config has problems. */
export function findDirectory(key: "rules" | "data", input: LayersInput): string {
  const value = readLayers(input).layers.value[key];
  return typeof value === "string" && value !== "" ? value : `./${key}`;
}

/** The database of the journal, even if the rest of the config has problems; undefined if the journal is a file. */
export function findDatabase(
  input: Omit<SettingsInput, "checks">,
): Result<Secret | undefined, readonly Problem[]> {
  const { read, layers } = readLayers(input);
  if (read?.ok === false) return read;
  const checked = checkShape(journalSchema, layers.value["journal"] ?? {});
  const problems = checked.problems.map((problem) =>
    placeProblem(layers, { ...problem, path: ["journal", ...problem.path] }),
  );
  const work: Resolving = {
    known: checked.problems,
    env: input.env,
    readText: input.readText,
    isWorldWritable: () => false,
    report: (problem) => void problems.push(placeProblem(layers, problem)),
    warn: () => undefined,
    noteFile: () => undefined,
    noteSecret: () => undefined,
  };
  const found = problems.length > 0 ? undefined : resolveJournal(work, checked.value?.postgres);
  return problems.length > 0 ? fail(sortProblems(problems)) : succeed(found?.url);
}

/** Resolves what takes more than one key: what is read from elsewhere, derived, or contradictory. */
function resolve(
  parsed: ParsedSettings,
  { env, readText, isWorldWritable = () => false }: SettingsInput,
  reporting: Pick<Resolving, "known" | "report" | "warn">,
  problems: Problem[],
): Omit<Settings, "warnings" | "ignores" | "place"> {
  const whole = withDerivedKeys(parsed);
  const entries = [...entriesOf(settingsSchema, whole)];
  const work: Resolving = {
    ...reporting,
    env,
    readText,
    isWorldWritable,
    noteFile: (path, content) => {
      entries.push(fileEntry(keyAt(settingsSchema, whole, path), path, content));
    },
    noteSecret: (path, value, fixed) => {
      entries.push(secretEntry(keyAt(settingsSchema, whole, path), path, value, fixed));
    },
  };
  const named = parsed.maintenance
    .map(({ name }, index) => ({ name, path: ["maintenance", index, "name"] }))
    .filter(({ path }) => !isMisspelt(work, path));
  for (const [{ name, path }, first] of sameNames(named))
    work.report({
      id: "config/duplicate",
      path,
      message: `${pathText(first.path.slice(0, -1))} has the name "${name}" already`,
      hint: "give each window a name of its own: it is the name of its hold",
    });
  const tokens = resolveTokens(work, parsed.server.tokensFile ?? undefined, problems);
  for (const { name, scopes, sha256 } of tokens ?? [])
    entries.push({
      key: `server.tokens.${name}`,
      path: ["server", "tokens_file"],
      text: scopes.join(", "),
      exact: scopes.join(" "),
      secret: secret(sha256),
    });
  return {
    ...whole,
    aggregators: resolveAggregators(work, parsed.aggregators),
    heartbeat: resolveHeartbeat(work, parsed.notify.heartbeat),
    journal: { ...parsed.journal, postgres: resolveJournal(work, parsed.journal.postgres) },
    listen: addressOf(parsed.listen),
    notify: resolveNotify(work, parsed.notify, parsed.server.externalUrl),
    server: { ...parsed.server, tokens },
    entries,
  };
}

/** Defaults that follow from other keys. */
function withDerivedKeys(parsed: ParsedSettings) {
  const { actions, aggregators, data } = parsed;
  return {
    ...parsed,
    actions: { ...actions, killFile: actions.killFile ?? join(data, "KILL") },
    aggregators: aggregators.map((one) => ({ ...one, name: nameOf(one) })),
  };
}

/** Without a host, it listens on all addresses. */
function addressOf(listen: string): Settings["listen"] {
  const colon = listen.lastIndexOf(":");
  const host = listen.slice(0, colon).replace(/^\[|\]$/g, "") || "0.0.0.0";
  return { host, port: Number(listen.slice(colon + 1)) };
}
