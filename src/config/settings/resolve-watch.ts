import { entryProblems } from "../../core/change/watch-list.ts";
import type { Millis } from "../../domain/time.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import {
  NOTHING_WATCHED,
  WATCH_LISTS,
  type ListName,
  type WatchList,
} from "../../pollers/poller.ts";
import { entriesOf, watchKinds } from "../../pollers/watch-kinds.ts";
import type { AggregatorText } from "./aggregator-schema.ts";
import { resolveCredential, type Credential } from "./resolve-credential.ts";
import { resolveRoute, type Route } from "./resolve-route.ts";
import type { Resolving } from "./resolving.ts";
import { isBroken } from "../yaml/known-problems.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";

/** The sources of further entries of the watch lists. */
export type WatchSources = {
  /** Paths whose last part may be a pattern. */
  readonly files: readonly string[];
  readonly http: readonly HttpList[];
};

export type HttpList = {
  /** In messages; the host unless it is set. */
  readonly name: string;
  readonly url: string;
  readonly everyMs: Millis;
  readonly timeoutMs: Millis;
  readonly auth: Credential;
  readonly route: Route;
};

export function resolveWatchSources(
  work: Resolving,
  { files, http }: Pick<AggregatorText["watch"], "files" | "http">,
  path: YamlPath,
): WatchSources {
  const names = new Set<string>();
  return {
    files,
    http: http.map(({ auth, tls, proxy, ...given }, index) => {
      const at = [...path, "http", index];
      const name = given.name ?? URL.parse(given.url)?.host ?? given.url;
      const isMeant = !isBroken(work, [...at, given.name === undefined ? "url" : "name"]);
      if (isMeant && names.has(name))
        work.report({
          id: "config/duplicate",
          path: at,
          message: `another list is named "${name}" already`,
          hint: "give each a name of its own",
        });
      if (isMeant) names.add(name);
      return {
        ...given,
        name,
        auth: resolveCredential(work, auth, [...at, "auth"]),
        route: resolveRoute(work, { tls, proxy }, at, {
          url: given.url,
          at: [...at, "url"],
          isSecret: auth.type !== "none",
        }),
      };
    }),
  };
}

/** Reports entries of the config that no source may list, and those that occur twice. */
export function checkEntries(
  work: Resolving,
  watch: Pick<WatchList, ListName | "markets">,
  path: YamlPath,
): void {
  for (const list of WATCH_LISTS) {
    const entries = entriesOf({ ...NOTHING_WATCHED, [list]: watch[list] });
    for (const [index, entry] of entries.entries())
      for (const { at, message } of entryProblems(watchKinds, entry))
        work.report({
          id: "config/bad-value",
          path: [...path, list, index],
          message: `${at} ${message}`,
        });
    checkTwice(work, entries.map(namesOf), [...path, list]);
  }
  const markets = watch.markets.map(({ pair = "*", exchange = "*" }) => `${pair}@${exchange}`);
  checkTwice(
    work,
    markets.map((market) => [`market "${market}"`]),
    [...path, "markets"],
  );
}

/** The names that no other entry of the list may have: without an alias, an entry is called by its target. */
function namesOf({ kind, target, alias = target }: WatchEntry): readonly string[] {
  const { keyOf, unnamed = false } = watchKinds.get(kind) ?? { keyOf: String };
  return [`${kind} "${keyOf(target)}"`, ...(unnamed ? [] : [`alias "${alias}"`])];
}

function checkTwice(
  work: Resolving,
  entries: readonly (readonly string[])[],
  path: YamlPath,
): void {
  const seen = new Set<string>();
  for (const [index, names] of entries.entries()) {
    const twice = names.find((name) => seen.has(name));
    if (twice !== undefined && !isBroken(work, [...path, index]))
      work.report({
        id: "config/duplicate",
        path: [...path, index],
        message: `the ${twice} occurs twice`,
      });
    for (const name of names) seen.add(name);
  }
}
