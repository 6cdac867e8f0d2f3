import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { messageOf } from "../../domain/error-message.ts";

/**
 * The files that match a pattern, by name. Only the last part of the path is a pattern: `*` matches any text, `?` any
 * character. Hidden files are left out, such as the links of a mounted directory.
 */
export function findFiles(pattern: string): Result<readonly string[], string> {
  const directory = dirname(pattern);
  const matches = matcherOf(basename(pattern));
  try {
    const names = readdirSync(directory).filter((name) => !name.startsWith(".") && matches(name));
    return succeed(names.sort().map((name) => join(directory, name)));
  } catch (error) {
    return fail(`the directory ${directory} cannot be read: ${messageOf(error)}`);
  }
}

/** Whether a path may match several files. */
export function isPattern(path: string): boolean {
  return /[*?]/.test(basename(path));
}

/** Whether a path matches a pattern. */
export function isOfPattern(pattern: string, path: string): boolean {
  const isThere = join(dirname(pattern)) === join(dirname(path));
  return isThere && matcherOf(basename(pattern))(basename(path));
}

/** Goes back to the last `*` at most, so that no pattern takes exponential time. */
function matcherOf(pattern: string): (name: string) => boolean {
  return (name) => {
    let [at, inName, star, retry] = [0, 0, -1, 0];
    while (inName < name.length) {
      if (pattern[at] === "*") {
        star = at;
        at += 1;
        retry = inName;
      } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[inName])) {
        at += 1;
        inName += 1;
      } else if (star >= 0) {
        at = star + 1;
        retry += 1;
        inName = retry;
      } else return false;
    }
    while (pattern[at] === "*") at += 1;
    return at === pattern.length;
  };
}
