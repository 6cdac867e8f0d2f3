import { entryOfText, schemaAt, schemaKeys, schemaLeaves, type Leaf } from "../../schema/walk.ts";
import { RENAMED_KEYS } from "../renamed-keys.ts";
import { settingsSchema } from "./settings-schema.ts";
import { habitOf } from "../yaml/habitual-keys.ts";
import { overlay, readText, type Layers } from "../yaml/layers.ts";
import { isRecord, putAt, valueAt } from "../../domain/values/plain-values.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";
import { problemWithoutPlace, type Problem } from "../problem.ts";
import { suggest } from "../suggest.ts";
import { CLIENT_VARIABLES, CONFIG_VARIABLE, DATABASE_VARIABLE, PREFIX } from "../variables.ts";

/** Environment variables and flags as layers over the config file. */

const OTHERS: ReadonlySet<string> = new Set([
  CONFIG_VARIABLE,
  DATABASE_VARIABLE,
  ...Object.values(CLIENT_VARIABLES),
]);

export type Environment = Readonly<Record<string, string | undefined>>;

/** The flags that set a key, by the name after the two dashes. */
const FLAGS = {
  listen: "LISTEN",
  data: "DATA",
  rules: "RULES",
  "base-url": "BASE_URL",
  mode: "ACTIONS_MODE",
  "log-level": "LOG_LEVEL",
  "log-format": "LOG_FORMAT",
} as const;
export type Flags = Readonly<Partial<Record<keyof typeof FLAGS, string | undefined>>>;

type Variable = {
  readonly leaf: Leaf;
  /** The name without the prefix, with 0 for each position in a list. */
  readonly name: string;
  /** Stands for a key of the first aggregator. */
  readonly shorthand: boolean;
};

/** `aggregators[].base_url` as `AGGREGATORS_0_BASE_URL`. */
export function variableName(path: readonly string[]): string {
  return path.map((step) => (step === "[]" ? "0" : step.toUpperCase())).join("_");
}

const leaves = schemaLeaves(settingsSchema);

const variables: readonly Variable[] = [
  ...leaves.map((leaf) => ({ leaf, name: variableName(leaf.path), shorthand: false })),
  ...leaves
    .filter(({ path }) => path[0] === "aggregators")
    .map((leaf) => ({ leaf, name: variableName(leaf.path.slice(2)), shorthand: true })),
];

/** The variables of renamed keys; their values are moved to the new keys. */
const renamedVariables: readonly Variable[] = RENAMED_KEYS.flatMap(({ before, now }) =>
  leaves
    .filter(({ path }) => path.join(".") === now.join("."))
    .map((leaf) => ({
      leaf: { ...leaf, path: before },
      name: variableName(before),
      shorthand: false,
    })),
);

/** No two keys have a name in common. */
const variablesByName: ReadonlyMap<string, Variable> = new Map(
  [...variables, ...renamedVariables].map((variable) => [variable.name, variable]),
);

/** A position in a list, as part of a variable's name. */
const POSITION = /(?<=_)\d{1,4}(?=_|$)/g;

/** The name as it is for the first entry of each list. */
function nameOfFirst(name: string): string {
  return name.replaceAll(POSITION, "0");
}

/** AGGREGATORS_2 comes before AGGREGATORS_10. `Intl.Collator` would do, but takes 12 ms to begin with. */
function byPosition(one: string, other: string): number {
  const [own, next] = [one, other].map((name) =>
    name.replaceAll(POSITION, (digits) => digits.padStart(4, "0")).replaceAll("_", " "),
  ) as [string, string];
  if (own === next) return 0;
  return own < next ? -1 : 1;
}

/** Every variable's name with its prefix, the first aggregator standing for all. */
export function variableNames(): string[] {
  return [CONFIG_VARIABLE, DATABASE_VARIABLE, ...variables.map(({ name }) => PREFIX + name)];
}

/** Lays the variables over the file, and the flags over the variables. */
export function overlayEnvironment(layers: Layers, env: Environment, flags: Flags): Problem[] {
  const problems: Problem[] = [];
  const secretNames = namesOfSecrets(layers.value, env);
  const names = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !OTHERS.has(name))
    .filter((name) => !secretNames.has(name) && env[name] !== "")
    .sort(byPosition);
  const given = [
    ...names.map((name) => [name, name.slice(PREFIX.length), env[name]] as const),
    ...Object.entries(FLAGS).map(
      ([flag, name]) => [`--${flag}`, name, flags[flag as keyof typeof FLAGS]] as const,
    ),
  ];
  for (const [place, name, text] of given) {
    const problem = text === undefined ? undefined : overlayOne(layers, name, text, place);
    if (problem !== undefined) problems.push(problem);
  }
  overlayDatabase(layers, env);
  return problems;
}

function overlayDatabase(layers: Layers, env: Environment): void {
  if ((env[DATABASE_VARIABLE] ?? "") === "") return;
  const postgres = valueAt(layers.value, ["journal", "postgres"]);
  const isSaid = isRecord(postgres) && ("url_file" in postgres || "url_env" in postgres);
  if (!isSaid)
    overlay(layers, ["journal", "postgres", "url_env"], DATABASE_VARIABLE, DATABASE_VARIABLE);
}

/** If so many names end in the same words, no one of them is probably meant. */
const MOST_MEANT = 3;

/** What an option means that there is only as a variable, or in the config file; undefined if that is not known. */
export function variableHint(option: string): string | undefined {
  return hintForName(option.toUpperCase().replaceAll("-", "_"));
}

/** The variables that were probably meant: one with a name like it, or those whose names end in it. */
function hintForName(name: string): string | undefined {
  const known = [
    DATABASE_VARIABLE.slice(PREFIX.length),
    ...variables.map((candidate) => candidate.name),
  ];
  const near = suggest(nameOfFirst(name), known);
  const longer = known.filter((one) => one.endsWith(`_${name}`) && !one.startsWith("AGGREGATORS_"));
  const meant = near === undefined ? longer : [near];
  if (meant.length === 0 || meant.length > MOST_MEANT)
    return habitOf(name.toLowerCase(), schemaKeys(settingsSchema));
  const [position = "0"] = name.match(POSITION) ?? [];
  const names = meant.map((one) => `"${PREFIX}${one.replace(POSITION, position)}"`);
  return `did you mean ${names.join(" or ")}?`;
}

function overlayOne(
  layers: Layers,
  name: string,
  text: string,
  place: string,
): Problem | undefined {
  const refuse = (id: string, message: string, hint?: string): Problem =>
    problemWithoutPlace(place, id, message, hint);
  const variable = variablesByName.get(nameOfFirst(name));
  if (variable === undefined)
    return refuse(
      "config/unknown-variable",
      `unknown variable ${place}`,
      hintForName(name) ?? "docs/configuration.md lists them",
    );
  const { leaf } = variable;
  const list = leaf.path.slice(0, Math.max(0, leaf.path.indexOf("[]")));
  const known = valueAt(layers.value, list);
  const count = Array.isArray(known) ? known.length : 0;
  if (variable.shorthand && count > 1)
    return refuse(
      "config/ambiguous-variable",
      `${place} stands for the one aggregator, and there are ${count}`,
      `say which: ${PREFIX}AGGREGATORS_0_${name}`,
    );
  const position = variable.shorthand ? 0 : Number(name.match(POSITION)?.[0] ?? 0);
  if (position > count)
    return refuse(
      "config/unknown-variable",
      `there is no ${list.join(".")}[${position - 1}], so there can be no ${position}`,
    );
  const path = leaf.path.map((step) => (step === "[]" ? position : step));
  expandTexts(layers, path);
  overlay(layers, path, readText(leaf.form, text), place);
  return undefined;
}

/** A text on the way to a path becomes the entry that it stands for, so that nothing of it is lost. */
function expandTexts({ value }: Layers, path: YamlPath): void {
  for (const length of path.keys()) {
    const at = path.slice(0, length);
    const text = valueAt(value, at);
    const schema = typeof text === "string" ? schemaAt(settingsSchema, at) : undefined;
    const entry = schema && entryOfText(schema, String(text));
    if (entry !== undefined) putAt(value, at, entry);
  }
}

/** Keys whose value is the name of a variable that holds a secret, and the variables that set them. */
const NAMES_SECRET = /_env$/;
const settingNames: ReadonlySet<string> = new Set(
  variables.flatMap(({ leaf, name }) => (NAMES_SECRET.test(leaf.path.at(-1) ?? "") ? [name] : [])),
);

/** A variable that `value_env` names holds a secret, and is not a key, whatever it is called. */
function namesOfSecrets(value: unknown, env: Environment): ReadonlySet<string> {
  const names = new Set<string>();
  const gather = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, item] of Object.entries(node))
      if (NAMES_SECRET.test(key) && typeof item === "string") names.add(item);
      else gather(item);
  };
  gather(value);
  for (const [name, text] of Object.entries(env)) {
    const own = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
    if (text !== undefined && settingNames.has(nameOfFirst(own))) names.add(text);
  }
  return names;
}
