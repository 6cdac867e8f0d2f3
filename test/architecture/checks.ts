import {
  CONSOLE_SHARES,
  CONSOLE_TYPES,
  DECLARE_BELOW,
  LIBRARIES,
  MAY_IMPORT,
  MAY_NAME_NODE,
  bansFor,
} from "./floors.ts";
import { functionSizes } from "./functions.ts";
import { cycles, importsOf, packageOf } from "./imports.ts";
import { scan } from "./scan.ts";
import type { Scanned, SourceFile } from "./scan.ts";
import { PRIVATE_WORDS } from "./words.ts";

/** `path:line`, what is wrong, and what to use instead. */
export type Violation = string;

/** What is known to be larger: lines of `src/a.ts` or of `src/a.ts name`, files of `src/a/`. */
export type SizeExceptions = Readonly<Record<string, number>>;

export const MAX_FILE_LINES = 250;
export const MAX_FUNCTION_LINES = 60;
export const MAX_FOLDER_FILES = 25;

/** Every violation in files of src and test, check by check. */
export function findViolations(
  files: readonly SourceFile[],
  exceptions: SizeExceptions = {},
): readonly Violation[] {
  const scanned = files.map((file) => scan(file));
  const source = scanned.filter(({ path }) => path.startsWith("src/"));
  return [
    ...[fileName, unfinished, silenced].flatMap((check) => scanned.flatMap(check)),
    ...[floors, declarations, banned].flatMap((check) => source.flatMap(check)),
    ...cycles(source).map((circle) => `${circle[0]}:1 imports itself: ${circle.join(" → ")}`),
    ...sizes(source, exceptions),
    ...scanned.flatMap((file) => privateWords(file)),
    ...untested(scanned),
  ];
}

/** A unit test stands where what it tests stands, under the same name, or says what it tests. */
function untested(files: readonly Scanned[]): Violation[] {
  const paths = new Set(files.map(({ path }) => path));
  const rooms = new Set([...paths].map((path) => path.split("/").slice(0, 2).join("/")));
  return files.flatMap(({ path, comments }) => {
    if (!path.endsWith(".test.ts") || path.split("/").length < 3) return [];
    const mirrored = path.replace(/^test/, "src").replace(/\.test\.ts$/, ".ts");
    const room = mirrored.split("/").slice(0, 2).join("/");
    if (!rooms.has(room) || paths.has(mirrored)) return [];
    const named = /^\/\*\* Tests (src\/[\w./-]+)/.exec(comments[0]?.text ?? "")?.[1] ?? "";
    const exists = [...paths].some((one) => one === named || one.startsWith(`${named}/`));
    return named !== "" && exists
      ? []
      : [`${path}:1 there is no ${mirrored}: begin with "/** Tests src/…: … */" and what it tests`];
  });
}

/** The folder of src that a file is in, or its own name where it is in none. */
function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function fileName({ path }: SourceFile): Violation[] {
  const name = path.split("/").at(-1) ?? "";
  const vague = /(?:^|-)(?:utils?|helpers?|common|manager|misc)(?:-|\.|$)/.exec(name);
  return vague === null
    ? []
    : [`${path}:1 the name "${name}" says nothing: name the file after what it holds`];
}

function floors(file: Scanned): Violation[] {
  const folder = folderOf(file.path);
  const allowed = MAY_IMPORT[folder];
  if (allowed === undefined)
    return [`${file.path}:1 src/${folder} is on no floor: add it to test/architecture/floors.ts`];
  return importsOf(file).flatMap(({ line, specifier, path, isType }) => {
    const why =
      folder === "console" && path !== undefined && folderOf(path) !== "console"
        ? fromConsole(path, isType)
        : path === undefined
          ? foreign(folder, specifier)
          : upward(folder, allowed, folderOf(path), path);
    return why === undefined ? [] : [`${file.path}:${line} ${why}`];
  });
}

function declarations({ path, code, lineOf }: Scanned): Violation[] {
  if (DECLARE_BELOW.includes(path)) return [];
  return [...code.matchAll(/\bdeclare (?:module|global)\b/g)].map(
    (match) =>
      `${path}:${lineOf(match.index)} adds to the types of another file: export a type, or list the file in DECLARE_BELOW of test/architecture/floors.ts`,
  );
}

function fromConsole(path: string, isType: boolean): string | undefined {
  if (path.startsWith(CONSOLE_SHARES) || (isType && path.startsWith(CONSOLE_TYPES)))
    return undefined;
  return `src/console may not import ${path}: of src it imports types of ${CONSOLE_TYPES} alone, and reads the API`;
}

function upward(
  folder: string,
  allowed: readonly string[],
  target: string,
  path: string,
): string | undefined {
  if (target === folder || allowed.includes(target)) return undefined;
  const may = allowed.length === 0 ? "nothing" : allowed.map((name) => `src/${name}`).join(", ");
  return `src/${folder} may not import ${path}: it may import ${may}; hand it in, or move what both need down`;
}

function foreign(folder: string, specifier: string): string | undefined {
  if (specifier.startsWith("node:")) {
    if (MAY_NAME_NODE.includes(folder)) return undefined;
    return `src/${folder} may not import ${specifier}: let src/io do it and hand in the result`;
  }
  const library = packageOf(specifier);
  const owners = LIBRARIES[library];
  if (owners?.includes(folder) === true) return undefined;
  return owners === undefined
    ? `${library} has no owner: list it in LIBRARIES of test/architecture/floors.ts`
    : `src/${folder} may not import ${library}: only ${owners.map((name) => `src/${name}`).join(", ")} may`;
}

function banned(file: Scanned): Violation[] {
  const folder = folderOf(file.path);
  return bansFor(folder).flatMap(({ pattern, what, instead }) =>
    [...file.code.matchAll(pattern)].map(
      (match) =>
        `${file.path}:${file.lineOf(match.index)} ${what} is banned in src/${folder}: ${instead}`,
    ),
  );
}

function unfinished(file: Scanned): Violation[] {
  const notes = file.comments
    .filter(({ text }) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(text))
    .map(({ line }) => `${file.path}:${line} a note to do it later: do it, or open an issue`);
  const switches = [
    ...file.code.matchAll(/\b(?:describe|it|test|suite)(?:\.\w+)*\.(?:skip|only|todo)\b/g),
  ].map(
    (match) =>
      `${file.path}:${file.lineOf(match.index)} ${match[0]} switches tests off: mend the test, or skip it on a stated condition with skipIf`,
  );
  return [...notes, ...switches];
}

/** Words of this code alone, in names and comments; docs/glossary.md has those of the field. */
function privateWords(file: Scanned): Violation[] {
  if (file.path.startsWith("test/architecture/")) return [];
  const found = (text: string, lineAt: (offset: number) => number): Violation[] =>
    PRIVATE_WORDS.flatMap(({ pattern, instead }) =>
      [...text.matchAll(pattern)].map(
        (match) =>
          `${file.path}:${lineAt(match.index)} "${match[0]}" is a private word: ${instead}`,
      ),
    );
  return [
    ...found(file.code, file.lineOf),
    ...file.comments.flatMap(({ line, text }) => found(text, () => line)),
  ];
}

/** A comment that silences a tool says why: `oxlint-disable-next-line rule -- reason`. */
function silenced(file: Scanned): Violation[] {
  return file.comments.flatMap(({ line, text }) => {
    const at = `${file.path}:${line}`;
    if (/@ts-(?:ignore|nocheck)\b/.test(text))
      return [`${at} @ts-ignore hides every mistake: use @ts-expect-error with a reason`];
    const bare =
      /(?:oxlint|eslint)-disable/.test(text) && !/-disable[\w-]*\s[^\n]*--\s*\S{3,}/.test(text);
    const unexplained = /@ts-expect-error\s*(?:\*\/)?\s*$/.test(text);
    return bare || unexplained
      ? [`${at} a check is switched off without a reason: write it after \`--\``]
      : [];
  });
}

type Size = {
  readonly key: string;
  readonly at: string;
  readonly count: number;
  readonly unit: "lines" | "files";
  readonly max: number;
};

function sizes(files: readonly Scanned[], exceptions: SizeExceptions): Violation[] {
  const measured = new Map<string, Size>();
  for (const size of [...files.flatMap((file) => sizesOf(file)), ...folderSizes(files)]) {
    const before = measured.get(size.key);
    if (before === undefined || before.count < size.count) measured.set(size.key, size);
  }
  const tooLong = [...measured.values()].flatMap((size) => judged(size, exceptions[size.key]));
  const gone = Object.keys(exceptions)
    .filter((key) => !measured.has(key))
    .map((key) => `${key} is not there any more: take it out of the size exceptions`);
  return [...tooLong, ...gone];
}

/** How many files are in each folder itself. */
function folderSizes(files: readonly Scanned[]): Size[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, count]) => ({
    key: `${folder}/`,
    at: `${folder}/`,
    count,
    unit: "files",
    max: MAX_FOLDER_FILES,
  }));
}

function sizesOf(file: Scanned): Size[] {
  const count = file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0);
  const unit = "lines" as const;
  const whole = { key: file.path, at: `${file.path}:1`, count, unit, max: MAX_FILE_LINES };
  const parts = functionSizes(file).map((part) => ({
    key: `${file.path} ${part.name}`,
    at: `${file.path}:${part.line}`,
    count: part.lines,
    unit,
    max: MAX_FUNCTION_LINES,
  }));
  return [whole, ...parts];
}

/** The ratchet: an exception holds its size exactly, so that it can only shrink. */
function judged({ key, at, count, unit, max }: Size, known: number | undefined): Violation[] {
  if (known === undefined)
    return count <= max ? [] : [`${at} ${key} has ${count} ${unit}, ${max} are allowed: split it`];
  if (count <= max) return [`${at} ${key} fits now: take it out of the size exceptions`];
  if (count > known) return [`${at} ${key} grew from ${known} to ${count} ${unit}: split it`];
  return count < known ? [`${at} ${key} shrank: write ${count} in the size exceptions`] : [];
}
