import { hintFor, suggest } from "../suggest.ts";
import { habitOf } from "./habitual-keys.ts";
import { MERGE_KEY } from "./known-problems.ts";
import type { ShapeProblem } from "./shape-problem.ts";
import { pathText, type YamlPath } from "./yaml-source.ts";

/** A key of the mapping at a path that is none of those that are known; `homes` are the mappings that know it. */
export function unknownKey(
  known: readonly string[],
  path: YamlPath,
  key: string,
  homes: readonly string[] = [],
): ShapeProblem {
  const place = { path: [...path, key], at: "key" as const };
  const refusal =
    REFUSED_KEYS.find((refused) => refused.key === key && refused.beside(known)) ??
    refusedSecret(key, known);
  if (refusal !== undefined) return { ...place, id: refusal.id, message: refusal.message };
  const message = `unknown key "${key}"`;
  return { ...place, id: "config/unknown-key", message, hint: hintOf(key, known, homes) };
}

/** More homes than these say nothing about which one is meant. */
const MOST_HOMES = 3;

function hintOf(key: string, known: readonly string[], homes: readonly string[]) {
  const habit = habitOf(key, known);
  if (habit !== undefined) return habit;
  const isMisplaced = homes.length > 0 && homes.length <= MOST_HOMES;
  if (!isMisplaced || suggest(key, known) !== undefined) return hintFor(key, known);
  return `it belongs to ${homes.join(" or ")}; known here: ${known.join(", ")}`;
}

/** Keys that are likely to be written by mistake, with a better answer than "unknown". */
const REFUSED_KEYS: ReadonlyArray<{
  readonly key: string;
  readonly id: string;
  readonly message: string;
  readonly beside: (known: readonly string[]) => boolean;
}> = [
  ...["value", "token", "password", "secret"].map((key) => ({
    key,
    id: "config/secret-in-config",
    message: `"${key}": a secret is never written in the config; use value_file, value_env, password_file or password_env`,
    beside: (known: readonly string[]) => known.includes("value_file"),
  })),
  {
    key: MERGE_KEY,
    id: "config/unknown-key",
    message: `"${MERGE_KEY}": keys of another mapping are not merged in; write them out`,
    beside: () => true,
  },
  {
    key: "url",
    id: "config/secret-in-config",
    message:
      '"url": anyone who knows it may post to it, so it is a secret; use url_file or url_env',
    beside: (known) => known.includes("url_file"),
  },
  {
    key: "token",
    id: "config/secret-in-config",
    message: '"token": a token is never written down; give its token_sha256',
    beside: (known) => known.includes("token_sha256"),
  },
];

/** A key that is known as the file and the variable that hold it. */
function refusedSecret(key: string, known: readonly string[]) {
  const keys = [`${key}_file`, `${key}_env`];
  if (!keys.every((one) => known.includes(one))) return undefined;
  const message = `"${key}": a secret is never written in the config; use ${keys.join(" or ")}`;
  return { id: "config/secret-in-config", message };
}

/** What a merge key would merge, and what is missing beside it, is no news beside the key. */
export function withoutRepeats(problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  const isMerge = ({ path }: ShapeProblem): boolean => path.at(-1) === MERGE_KEY;
  const parents = new Set(problems.filter(isMerge).map(({ path }) => pathText(path.slice(0, -1))));
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const parent = pathText(problem.path.slice(0, -1));
    if (!isMerge(problem)) return problem.id !== "config/missing" || !parents.has(parent);
    const isFirst = !seen.has(parent);
    seen.add(parent);
    return isFirst;
  });
}
