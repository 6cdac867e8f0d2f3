import { isUtf8 } from "node:buffer";
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readSync,
  statSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { fail, succeed } from "../../domain/result.ts";
import type { Result } from "../../domain/result.ts";
import { messageOf } from "../../domain/error-message.ts";

/** A text with the name that people know it by. */
export type NamedText = { readonly name: string; readonly text: string };

const LARGEST_FILE = 4 * 1_048_576;

/** Reads a whole file as UTF-8. The problem says why it cannot be read, and where if it is not UTF-8. */
export function readTextFile(path: string, largest = LARGEST_FILE): Result<string, string> {
  try {
    const bytes = readAtMost(path, largest + 1);
    if (bytes.length > largest) return fail(`larger than ${largest} bytes`);
    return isUtf8(bytes) ? succeed(bytes.toString()) : fail(encodingProblem(path, bytes));
  } catch (error) {
    return fail(reasonOf(error));
  }
}

/** The same, of a file that is read again later: a pipe cannot be, and to open one may wait forever. */
export function readRegularFile(path: string, largest?: number): Result<string, string> {
  return isPipe(path) ? fail("is a pipe, not a file") : readTextFile(path, largest);
}

const PIECE_BYTES = 65_536;

/** The size of a pipe or a device is not known before its end, which may never come. */
function readAtMost(path: string, most: number): Buffer {
  const file = openSync(path, "r");
  try {
    const pieces: Buffer[] = [];
    for (let left = most; left > 0; left -= pieces.at(-1)?.length ?? 0) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, left));
      const length = readSync(file, piece);
      if (length === 0) break;
      pieces.push(piece.subarray(0, length));
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(file);
  }
}

const UTF_16_MARKS = new Set(["fffe", "feff"]);
const REPLACEMENT = "\uFFFD";

/** What bytes are that are not UTF-8, with the place of the first that cannot be, which may be of a secret. */
function encodingProblem(path: string, bytes: Buffer): string {
  if (UTF_16_MARKS.has(bytes.toString("hex", 0, 2))) return "the file is UTF-16; save it as UTF-8";
  const text = bytes.toString();
  const own = Buffer.from(REPLACEMENT);
  let [index, offset] = [-1, 0];
  // The text may hold that character itself.
  do {
    const next = text.indexOf(REPLACEMENT, index + 1);
    offset += Buffer.byteLength(text.slice(Math.max(index, 0), next));
    index = next;
  } while (own.equals(bytes.subarray(offset, offset + own.length)));
  const before = text.slice(0, index).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return `${path}:${before.length}:${column} is not UTF-8; save it as UTF-8`;
}

/**
 * Whether every user of the machine can write to a file. What is mounted to be read only, as the secrets of a container
 * often are, has no such file, whatever its permissions.
 */
export function isWorldWritable(path: string): boolean {
  try {
    if ((statSync(path).mode & constants.S_IWOTH) === 0) return false;
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads the rule files of a directory, by name: `*.yaml` and `*.yml`, without `*.test.yaml`, which
 * holds the tests of the rules beside it, and without hidden files.
 */
export function readRuleFiles(directory: string): Result<readonly NamedText[], string> {
  return readFilesOf(directory, isRuleFile);
}

/** Reads the rule tests of a directory (`*.test.yaml`), by name, or one file. */
export function readRuleTestFiles(path: string): Result<readonly NamedText[], string> {
  if (!isFile(path)) return readFilesOf(path, isRuleTestFile);
  const read = readTextFile(path);
  return read.ok ? succeed([{ name: path, text: read.value }]) : read;
}

/** What cannot be looked at is none; to read it as a directory says why. */
export function isFile(path: string): boolean {
  return statusOf(path)?.isFile() === true;
}

/** Whether it can be read once only: to open it again may wait forever for someone who writes to it. */
export function isPipe(path: string): boolean {
  return statusOf(path)?.isFIFO() === true;
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function readFilesOf(
  directory: string,
  isWanted: (name: string) => boolean,
): Result<readonly NamedText[], string> {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    return fail(reasonOf(error));
  }
  const files: NamedText[] = [];
  for (const name of names.filter(isWanted).sort()) {
    const path = join(directory, name);
    const read = readRegularFile(path);
    if (!read.ok)
      return fail(read.problem.startsWith(`${path}:`) ? read.problem : `${path}: ${read.problem}`);
    files.push({ name: path, text: read.value });
  }
  return succeed(files);
}

function isRuleFile(name: string): boolean {
  return /^[^.].*\.ya?ml$/.test(name) && !isRuleTestFile(name);
}

function isRuleTestFile(name: string): boolean {
  return /^[^.].*\.test\.ya?ml$/.test(name);
}

/** Why a file cannot be used, in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "no such file or directory";
  if (code === "EACCES") return "permission denied";
  if (code === "EISDIR") return "is a directory";
  if (code === "ENOTDIR") return "is not a directory";
  return messageOf(error);
}
