import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Result } from "../domain/result.ts";
import {
  isFile,
  isPipe,
  isWorldWritable,
  readRuleFiles,
  readTextFile,
  type NamedText,
} from "../io/process/files.ts";

/** How config and rules are read. */
export type Reader = {
  readonly readText: (path: string) => Result<string, string>;
  readonly readRules: (directory: string) => Result<readonly NamedText[], string>;
  readonly isWorldWritable: (path: string) => boolean;
};

export const FILE_READER: Reader = {
  readText: readTextFile,
  readRules: readRuleFiles,
  isWorldWritable,
};

/**
 * Keeps what it read from a pipe, such as `<(…)` of a shell, until there is a file in its place. Whoever writes to a pipe
 * does so once: to read it again would give nothing, or wait forever.
 */
export function readingPipesOnce(reader: Reader = FILE_READER): Reader {
  const kept = new Map<string, ReturnType<Reader["readText"]>>();
  return {
    ...reader,
    readText: (path) => {
      const known = kept.get(path);
      if (known !== undefined && !isFile(path)) return known;
      const isOnce = isPipe(path);
      const read = reader.readText(path);
      if (isOnce) kept.set(path, read);
      return read;
    },
  };
}

/** A reader that remembers what it read, so that it can tell whether anything changed. */
type RecordingReader = Reader & {
  /** Something that was read is different now. */
  readonly isOutdated: () => boolean;
  /** The directories to watch for changes of what was read. */
  readonly directories: () => readonly string[];
};

export function recordingReader(reader: Reader = FILE_READER): RecordingReader {
  const texts = new Map<string, unknown>();
  const rules = new Map<string, unknown>();
  return {
    readText: (path) => remember(texts, path, reader.readText(path)),
    readRules: (directory) => remember(rules, directory, reader.readRules(directory)),
    isWorldWritable: reader.isWorldWritable,
    isOutdated: () =>
      [...texts].some(([path, known]) => !isDeepStrictEqual(known, reader.readText(path))) ||
      [...rules].some(([path, known]) => !isDeepStrictEqual(known, reader.readRules(path))),
    directories: () => [
      // The directory above shows when a link to the rules' own is swapped.
      ...new Set([...[...texts.keys(), ...rules.keys()].map(dirname), ...rules.keys()]),
    ],
  };
}

function remember<Value>(record: Map<string, unknown>, key: string, value: Value): Value {
  record.set(key, value);
  return value;
}
