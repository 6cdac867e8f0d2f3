import { entryProblems, watchKey } from "../../core/change/watch-list.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { LONGEST_LIST, type WatchEntry, type WatchKind } from "../../domain/watch.ts";
import { isRecord } from "../../domain/values/plain-values.ts";
import { DEEPEST_JSON, nestsTooDeeply } from "../../domain/values/json-text.ts";
import { wrongType } from "../yaml/check-shape.ts";
import { unknownKey } from "../yaml/unknown-key.ts";
import type { ShapeProblem } from "../yaml/shape-problem.ts";
import type { Problem } from "../problem.ts";
import { hintFor } from "../suggest.ts";
import { pathText, problemAtPath, readYamlSource, type YamlPath } from "../yaml/yaml-source.ts";
import { messageOf } from "../../domain/error-message.ts";

/**
 * Watch lists in the format of Prometheus' `file_sd` and `http_sd`: a list of `targets` with `labels`.
 * The label `kind` says what the targets are, `alias` is the name of one of them.
 */

const LABELS = ["kind", "alias"] as const;
/** Discovery tools add these; they are ignored. */
const FOREIGN_LABEL = /^__/;

const GROUP_KEYS = ["targets", "labels"];

/** A longer list is read from JSON alone: the parser of YAML would take half a minute. */
const LONGEST_YAML = 4_000_000;
/** In longer JSON, problems have their JSON path alone: lines take the parser of YAML, and that seconds. */
const LONGEST_PLACED = 200_000;
/** More problems than this of one list are counted, and left out. */
const MOST_PROBLEMS = 50;
/** A longer message, or key in a path, is cut: it repeats what the list says. */
const LONGEST_SHOWN = 500;

const FORMAT = "for example - { targets: [0x8a…], labels: { kind: sender, alias: desk-a } }";

type Kinds = ReadonlyMap<string, WatchKind>;
type Entries = readonly WatchEntry[];

/** Reads a file, YAML or JSON by its name: all of its entries, or every problem with its place. */
export function readWatchFile(
  kinds: Kinds,
  file: string,
  text: string,
): Result<Entries, readonly Problem[]> {
  // The parser of JSON is fifty times as fast, and the place of a problem can be found afterwards.
  const json = file.endsWith(".json") ? parseJson(text) : undefined;
  if (json?.ok === true) {
    const read = entriesOf(kinds, json.value);
    if (read.ok) return read;
    if (text.length > LONGEST_PLACED)
      return fail(read.problem.map((one) => withoutPlace(file, one)));
  }
  // What is no JSON is often no YAML either, and then YAML says where.
  const yaml = readYamlSource(file, text, json === undefined ? LONGEST_YAML : LONGEST_PLACED);
  if (json?.ok === false && (yaml.ok || text.length > LONGEST_PLACED)) {
    const problem = { id: "watch/syntax", file, line: 1, column: 1, message: json.problem };
    return fail([problem]);
  }
  if (!yaml.ok) return yaml;
  const read = entriesOf(kinds, yaml.value.value);
  if (read.ok) return read;
  return fail(
    read.problem.map(({ path, at, ...details }) => problemAtPath(yaml.value, path, details, at)),
  );
}

/** Reads the answer to a request: all of its entries, or every problem with its JSON path. */
export function readWatchReply(kinds: Kinds, body: string): Result<Entries, readonly string[]> {
  if (body.length > LONGEST_LIST)
    return fail([`the list is longer than ${LONGEST_LIST} characters`]);
  const json = parseJson(body);
  if (!json.ok) return fail([json.problem]);
  const read = entriesOf(kinds, json.value);
  if (read.ok) return read;
  return fail(
    read.problem.map(
      ({ path, message, hint }) =>
        `${placeOf(path)}: ${message}${hint === undefined ? "" : ` (${hint})`}`,
    ),
  );
}

function placeOf(path: YamlPath): string {
  return path.length === 0 ? "$" : `$${cut(pathText(path))}`;
}

/** Lines and columns take the parser of YAML, so the JSON path has to do. */
function withoutPlace(file: string, { id, path, message, hint }: ShapeProblem): Problem {
  return { id, file, line: 1, column: 1, message: `${placeOf(path)}: ${message}`, hint };
}

function parseJson(text: string): Result<unknown, string> {
  if (nestsTooDeeply(text)) return fail(`is nested deeper than ${DEEPEST_JSON} levels`);
  try {
    return succeed(JSON.parse(text));
  } catch (error) {
    return fail(`is not JSON: ${messageOf(error)}`);
  }
}

/** The first problems of a list, and how many there are. */
type Found = { readonly shown: ShapeProblem[]; count: number };

/** A list of millions of mistakes costs little: one that is not shown is not described. */
function note(found: Found, describe: () => ShapeProblem): void {
  found.count += 1;
  if (found.shown.length >= MOST_PROBLEMS) return;
  const problem = describe();
  found.shown.push({ ...problem, id: "watch/bad-list", message: cut(problem.message) });
}

function cut(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function entriesOf(kinds: Kinds, value: unknown): Result<Entries, readonly ShapeProblem[]> {
  if (!Array.isArray(value)) return fail([problemAt([], "must be a list of targets", FORMAT)]);
  const found: Found = { shown: [], count: 0 };
  const entries: WatchEntry[] = [];
  const names = new Map<string, string>();
  for (const [index, item] of value.entries()) {
    const group = groupOf(found, item, index);
    if (group === undefined) continue;
    const { targets, labels = {} } = group;
    const { kind = "", alias } = labels;
    noteLabels(found, kinds, labels, [index, "labels"]);
    if (alias !== undefined && targets.length > 1)
      note(found, () =>
        problemAt([index, "labels", "alias"], `${targets.length} targets cannot have one alias`),
      );
    for (const [position, target] of targets.entries()) {
      const entry = { kind, target, ...(alias === undefined ? {} : { alias }) };
      entries.push(entry);
      if (!kinds.has(kind)) continue;
      const path = [index, "targets", position];
      for (const { at, message } of entryProblems(kinds, entry))
        note(found, () =>
          problemAt(at === "target" ? path : [index, "labels", at], `${at} ${message}`),
        );
      const disagreement = nameProblem(kinds, names, entry);
      if (disagreement !== undefined) note(found, () => problemAt(path, disagreement));
    }
  }
  const more = found.count - found.shown.length;
  if (more > 0) found.shown.push(problemAt([], `${more} more problems are not shown`));
  return found.count > 0 ? fail(found.shown) : succeed(entries);
}

type Group = {
  readonly targets: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
};

/**
 * Undefined if its shape is wrong. It is checked by hand and never walked further down: a schema would take a stack as
 * high as the list is wide or deep, and the list may come from anyone.
 */
function groupOf(found: Found, group: unknown, index: number): Group | undefined {
  const before = found.count;
  if (!isRecord(group)) {
    const hint = `its keys: ${GROUP_KEYS.join(", ")}`;
    note(found, () => ({ ...wrongType([index], "object", group), hint }));
    return undefined;
  }
  const { targets, labels = {} } = group;
  const path = [index, "targets"];
  if (targets === undefined)
    note(found, () => problemAt(path, '"targets" is missing', undefined, "key"));
  else if (!Array.isArray(targets)) note(found, () => wrongType(path, "array", targets));
  else
    for (const [position, target] of targets.entries())
      if (typeof target !== "string")
        note(found, () => wrongType([...path, position], "string", target));
  if (!isRecord(labels)) note(found, () => wrongType([index, "labels"], "record", labels));
  else
    for (const [name, value] of Object.entries(labels))
      if (typeof value !== "string")
        note(found, () => wrongType([index, "labels", name], "string", value));
  for (const key of Object.keys(group))
    if (!GROUP_KEYS.includes(key)) note(found, () => unknownKey(GROUP_KEYS, [index], key));
  return found.count === before ? (group as Group) : undefined;
}

function noteLabels(
  found: Found,
  kinds: Kinds,
  labels: Readonly<Record<string, string>>,
  path: YamlPath,
): void {
  const known = [...kinds.keys()];
  const { kind } = labels;
  for (const name of Object.keys(labels))
    if (!LABELS.some((label) => label === name) && !FOREIGN_LABEL.test(name))
      note(found, () =>
        problemAt([...path, name], `unknown label "${name}"`, hintFor(name, LABELS), "key"),
      );
  if (kind === undefined) {
    const hint = `write labels: { kind: ${known.join(" | ")} }`;
    note(found, () => problemAt(path, 'the label "kind" is missing', hint, "key"));
  } else if (!kinds.has(kind))
    note(found, () =>
      problemAt([...path, "kind"], `there is no kind "${kind}"`, hintFor(kind, known)),
    );
}

/** Within one list, a target has one name and a name one target. */
function nameProblem(
  kinds: Kinds,
  names: Map<string, string>,
  { kind: name, target, alias }: WatchEntry,
): string | undefined {
  const kind = kinds.get(name);
  if (kind === undefined || alias === undefined) return undefined;
  const key = watchKey(kind, target);
  const ownName = names.get(`target ${key}`) ?? alias;
  const owner = names.get(`alias ${name}/${alias}`) ?? key;
  names.set(`target ${key}`, ownName);
  names.set(`alias ${name}/${alias}`, owner);
  if (ownName !== alias) return `${target} is called "${ownName}" above, and "${alias}" here`;
  if (owner === key) return undefined;
  return `the alias "${alias}" is that of ${owner.slice(name.length + 1)} above`;
}

function problemAt(path: YamlPath, message: string, hint?: string, at?: "key"): ShapeProblem {
  return { id: "watch/bad-list", path, at, message, hint };
}
