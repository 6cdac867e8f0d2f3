import { z } from "zod";
import { entryProblems, watchKey } from "../../core/change/watch-list.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { LONGEST_LIST, type WatchEntry, type WatchKind } from "../../domain/watch.ts";
import { checkShape } from "../yaml/check-shape.ts";
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

const groupSchema = z.strictObject({
  targets: z.array(z.string()),
  labels: z.record(z.string(), z.string()).optional(),
});

/** A longer list is read from JSON alone: the parser of YAML would take half a minute. */
const LONGEST_YAML = 4_000_000;
/** More problems than this of one list are counted, and left out. */
const MOST_PROBLEMS = 50;

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
    if (text.length > LONGEST_YAML) return fail(read.problem.map((one) => withoutPlace(file, one)));
  }
  const yaml = readYamlSource(file, text, LONGEST_YAML);
  if (!yaml.ok) return yaml;
  if (json?.ok === false) {
    const problem = { id: "watch/syntax", file, line: 1, column: 1, message: json.problem };
    return fail([problem]);
  }
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
  return path.length === 0 ? "$" : `$${pathText(path)}`;
}

/** To find lines and columns takes the parser of YAML, so the JSON path has to do. */
function withoutPlace(file: string, { id, path, message, hint }: ShapeProblem): Problem {
  return { id, file, line: 1, column: 1, message: `${placeOf(path)}: ${message}`, hint };
}

function parseJson(text: string): Result<unknown, string> {
  try {
    return succeed(JSON.parse(text));
  } catch (error) {
    return fail(`is not JSON: ${messageOf(error)}`);
  }
}

function entriesOf(kinds: Kinds, value: unknown): Result<Entries, readonly ShapeProblem[]> {
  if (!Array.isArray(value)) return fail([problemAt([], "must be a list of targets", FORMAT)]);
  const problems: ShapeProblem[] = [];
  const entries: WatchEntry[] = [];
  const names = new Map<string, string>();
  for (const [index, group] of value.entries()) {
    const checked = checkShape(groupSchema, group);
    for (const problem of checked.problems)
      problems.push({ ...problem, id: "watch/bad-list", path: [index, ...problem.path] });
    if (checked.problems.length > 0 || checked.value === undefined) continue;
    const { targets, labels = {} } = checked.value;
    const { kind = "", alias } = labels;
    problems.push(...labelProblems(kinds, labels, [index, "labels"]));
    if (alias !== undefined && targets.length > 1)
      problems.push(
        problemAt([index, "labels", "alias"], `${targets.length} targets cannot have one alias`),
      );
    for (const [position, target] of targets.entries()) {
      const entry = { kind, target, ...(alias === undefined ? {} : { alias }) };
      const path = [index, "targets", position];
      entries.push(entry);
      if (!kinds.has(kind)) continue;
      for (const { at, message } of entryProblems(kinds, entry))
        problems.push(
          problemAt(at === "target" ? path : [index, "labels", at], `${at} ${message}`),
        );
      const disagreement = nameProblem(kinds, names, entry);
      if (disagreement !== undefined) problems.push(problemAt(path, disagreement));
    }
  }
  return problems.length > 0 ? fail(few(problems)) : succeed(entries);
}

function labelProblems(
  kinds: Kinds,
  labels: Readonly<Record<string, string>>,
  path: YamlPath,
): readonly ShapeProblem[] {
  const known = [...kinds.keys()];
  const { kind } = labels;
  const unknown = Object.keys(labels).filter(
    (name) => !LABELS.some((label) => label === name) && !FOREIGN_LABEL.test(name),
  );
  const problems = unknown.map((name) =>
    problemAt([...path, name], `unknown label "${name}"`, hintFor(name, LABELS), "key"),
  );
  if (kind === undefined) {
    const hint = `write labels: { kind: ${known.join(" | ")} }`;
    problems.push(problemAt(path, 'the label "kind" is missing', hint, "key"));
  } else if (!kinds.has(kind)) {
    const hint = hintFor(kind, known);
    problems.push(problemAt([...path, "kind"], `there is no kind "${kind}"`, hint));
  }
  return problems;
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

function few(problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  if (problems.length <= MOST_PROBLEMS) return problems;
  const more = problemAt([], `${problems.length - MOST_PROBLEMS} more problems are not shown`);
  return [...problems.slice(0, MOST_PROBLEMS), more];
}
