import { createHash } from "node:crypto";
import type { z } from "zod";
import { formatDuration } from "../../domain/time.ts";
import { elementOf, fieldOf } from "../../schema/walk.ts";
import { membersOf } from "../../schema/section.ts";
import { pathText, type YamlPath } from "../yaml/yaml-source.ts";
import type { Secret } from "./secret.ts";

/**
 * Every setting as one line, by the schema: what a reload compares and shows, and what the hash of the
 * config is made of. A key that the schema has cannot be forgotten here.
 */

/** A setting that two configs differ in. Secrets are compared, and not shown. */
export type SettingChange = {
  /** As in the config; an aggregator is named, not counted: `aggregators.bsc-mainnet.schedules.pools`. */
  readonly key: string;
  readonly before: string;
  readonly after: string;
};

/** A setting that is in force. */
export type SettingEntry = {
  readonly key: string;
  readonly path: YamlPath;
  /** For people. */
  readonly text: string;
  /** For comparing. */
  readonly exact: string;
  /** Compared as well, and never shown. */
  readonly secret?: Secret;
  readonly needsRestart?: true;
};

type HasEntries = { readonly entries: readonly SettingEntry[] };

const ABSENT = "(none)";

/** All settings that differ, in the order of the config. */
function changesBetween(
  before: readonly SettingEntry[],
  after: readonly SettingEntry[],
): ReadonlyArray<SettingChange & Pick<SettingEntry, "path" | "needsRestart">> {
  const [old, fresh] = [before, after].map(
    (entries) => new Map(entries.map((entry) => [entry.key, entry])),
  );
  const keys = new Set([...before, ...after].map(({ key }) => key));
  return [...keys].flatMap((key) => {
    const one = old?.get(key);
    const other = fresh?.get(key);
    const either = other ?? one;
    if (either === undefined || (one !== undefined && other !== undefined && isSame(one, other)))
      return [];
    const { path, needsRestart } = either;
    const change = { key, before: one?.text ?? ABSENT, after: other?.text ?? ABSENT, path };
    return [{ ...change, ...(needsRestart === undefined ? {} : { needsRestart }) }];
  });
}

function isSame(one: SettingEntry, other: SettingEntry): boolean {
  return one.exact === other.exact && one.secret?.reveal() === other.secret?.reveal();
}

/** All that is in force, without secrets: equal if the same is in force. */
export function entriesText(entries: readonly SettingEntry[]): string {
  return entries.map(({ key, exact }) => `${key}: ${exact}`).join("\n");
}

/** The secrets of all settings, in the clear, so that they can be taken out of texts. */
export function secretsOf({ entries }: HasEntries): string[] {
  return entries.flatMap(({ secret }) => (secret === undefined ? [] : [secret.reveal()]));
}

/** What was read from a file or a variable that the config names. */
export function secretEntry(
  key: string,
  path: YamlPath,
  secret: Secret,
  fixed?: "needs restart",
): SettingEntry {
  const entry = { key, path, text: String(secret), exact: "", secret };
  return fixed === undefined ? entry : { ...entry, needsRestart: true };
}

/** What was read from a file that the config names, and is not a secret. */
export function fileEntry(key: string, path: YamlPath, content: string): SettingEntry {
  const digest = digestOf(content);
  return { key, path, text: digest, exact: digest };
}

/** Every setting that has a value, in the order of the schema. */
export function entriesOf(
  schema: z.ZodType,
  value: unknown,
  path: YamlPath = [],
  key = "",
): readonly SettingEntry[] {
  if (value === undefined || value === null) return [];
  const members = membersOf(schema, value);
  if (members !== undefined)
    return members.flatMap((member) =>
      entriesOf(
        member.schema,
        member.value,
        [...path, member.key],
        key === "" ? member.key : `${key}.${member.key}`,
      ),
    );
  const field = fieldOf(schema);
  if (field !== undefined) {
    const exact = JSON.stringify(value);
    const text = field.hidden === true ? digestOf(exact) : textOf(schema, value);
    const fixed = field.needsRestart === true ? { needsRestart: true as const } : {};
    return [{ key, path, text, exact, ...fixed }];
  }
  const element = elementOf(schema);
  if (element === undefined || !Array.isArray(value)) return [];
  return value.flatMap((item: unknown, index) =>
    entriesOf(element, item, [...path, index], key + placeOf(item, index)),
  );
}

/** The key of what is at a path, as the entries name it. */
export function keyAt(schema: z.ZodType, value: unknown, path: YamlPath): string {
  const [step, ...rest] = path;
  if (step === undefined) return "";
  if (typeof step === "number" && Array.isArray(value)) {
    const item: unknown = value[step];
    return placeOf(item, step) + after(keyAt(elementOf(schema) ?? schema, item, rest));
  }
  const member = membersOf(schema, value)?.find(({ key }) => key === step);
  if (member === undefined) return pathText(path);
  return `${member.key}${after(keyAt(member.schema, member.value, rest))}`;
}

function after(key: string): string {
  return key === "" || key.startsWith("[") || key.startsWith(".") ? key : `.${key}`;
}

/** An entry of a list goes by its name, so that it is the same one wherever it is. */
function placeOf(item: unknown, index: number): string {
  const name: unknown =
    typeof item === "object" && item !== null && "name" in item ? item.name : undefined;
  return typeof name === "string" ? `.${name}` : `[${index}]`;
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

/** A value as it could be written in the config. */
function textOf(schema: z.ZodType, value: unknown): string {
  const form = fieldOf(schema)?.form;
  if (form === "duration" && typeof value === "number") return formatDuration(value);
  if (form === "size") return `${String(value)} bytes`;
  if (typeof value === "string") return value;
  const members = membersOf(schema, value);
  if (members !== undefined) {
    const given = members.filter((member) => member.value !== undefined);
    return `{ ${given.map((member) => `${member.key}: ${textOf(member.schema, member.value)}`).join(", ")} }`;
  }
  const element = elementOf(schema);
  if (!Array.isArray(value) || element === undefined) return JSON.stringify(value);
  return value.map((item: unknown) => textOf(element, item)).join(", ") || ABSENT;
}

/** The settings that differ from those in force, as a reload shows them. */
export function settingChanges(inForce: HasEntries, next: HasEntries): readonly SettingChange[] {
  return (
    changesBetween(inForce.entries, next.entries)
      .map(({ key, before, after }) => ({ key, before, after }))
      // An empty list where there was none, as of an aggregator that is added.
      .filter(({ before, after }) => before !== ABSENT || after !== ABSENT)
  );
}

/** Refuses changes of settings that need a restart. */
export function restartCheck(inForce: HasEntries) {
  return (settings: HasEntries) =>
    changesBetween(inForce.entries, settings.entries)
      .filter(({ needsRestart }) => needsRestart === true)
      .map(({ key, path, before, after }) => ({
        id: "config/needs-restart",
        path,
        follows: [path, ...secretKeysOf(path), ...(key === "actions.kill_file" ? [["data"]] : [])],
        message: `"${key}" cannot change while aggwatch runs: it is ${before}, and would be ${after}`,
        hint: "restart aggwatch to change it, or put it back",
      }));
}

/** A secret goes by the name that its two keys share. */
function secretKeysOf(path: YamlPath): readonly YamlPath[] {
  const parent = path.slice(0, -1);
  return ["_file", "_env"].map((end) => [...parent, `${String(path.at(-1))}${end}`]);
}
