import { isDeepStrictEqual } from "node:util";
import { formatDuration, type Millis } from "../../domain/time.ts";
import { POLLER_NAMES, type PollerName } from "../../pollers/index.ts";
import type { WatchList } from "../../pollers/poller.ts";
import type { AggregatorText } from "./aggregator-schema.ts";
import { inOrderOfMoves, isWord } from "../../pollers/status-words.ts";
import { isBroken, isMisspelt } from "../yaml/known-problems.ts";
import { reportMissing, resolveCredential, type Credential } from "./resolve-credential.ts";
import type { Resolving } from "./resolving.ts";
import { longestIntervalMs } from "./cron-interval.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";
import { resolveRoute, type Route } from "./resolve-route.ts";
import { checkEntries, resolveWatchSources, type WatchSources } from "./resolve-watch.ts";

/** One aggregator to watch: as the schema reads it, with what is derived or read from elsewhere. */
export type AggregatorSettings = Omit<
  AggregatorText,
  "schedules" | "staleAfterMs" | "timeoutMs" | "watch" | "tls" | "proxy"
> & {
  readonly name: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly auth: { readonly read: Credential; readonly act: Credential };
  readonly route: Route;
  readonly timeouts: AggregatorText["timeouts"] & { readonly requestMs: Millis };
  /** Those that are on. */
  readonly pollers: readonly PollerSettings[];
  readonly watch: WatchList;
  readonly watchSources: WatchSources;
};

export type PollerSettings = {
  readonly name: PollerName;
  /** Cron, in UTC. */
  readonly schedule: string;
  /** The longest time between two slots of the schedule. */
  readonly intervalMs: Millis;
  readonly staleAfterMs: Millis;
  /** It was set, so it stays as it is however long a poll takes. */
  readonly isStaleAfterSet?: true;
};

/** So many polls may be missed before what was read counts as unknown. */
export const MISSED_POLLS = 3;

/** Resolves all aggregators, and checks what no single key shows. */
export function resolveAggregators(
  work: Resolving,
  texts: readonly AggregatorText[],
): AggregatorSettings[] {
  if (texts.length === 0 && !isMisspelt(work, ["aggregators"]))
    work.report({
      id: "config/no-aggregator",
      path: ["aggregators"],
      at: "key",
      message: "there is no aggregator to watch",
      hint: "set AGGWATCH_BASE_URL, or aggregators[0].base_url in the config file",
    });
  const names = new Map<string, number>();
  return texts.map((text, index) => {
    const path = ["aggregators", index];
    const resolved = resolveAggregator(work, text, path);
    const earlier = names.get(resolved.name);
    if (text.baseUrl === undefined || isBroken(work, [...path, "name"])) return resolved;
    if (text.name === undefined && isBroken(work, [...path, "base_url"])) return resolved;
    if (earlier !== undefined)
      work.report({
        id: "config/duplicate",
        path: [...path, text.name === undefined ? "base_url" : "name"],
        message: `aggregators[${earlier}] has the name "${resolved.name}" already`,
        hint: "give each aggregator a name of its own",
      });
    else warnOfSame(work, texts, index);
    names.set(resolved.name, index);
    return resolved;
  });
}

/** Most likely a URL that was copied and not changed, so that one of the two is not watched at all. */
function warnOfSame(work: Resolving, texts: readonly AggregatorText[], index: number): void {
  const own = texts[index];
  const same = own && texts.slice(0, index).find((one) => isAskedAlike(one, own));
  if (same === undefined) return;
  work.warn({
    id: "lint/same-aggregator",
    path: ["aggregators", index, "base_url"],
    message: `"${nameOf(same)}" has the same address and is asked in the same way: they are one aggregator, and each acts on it`,
    hint: "give the address of the other one, or take one of them out",
  });
}

function isAskedAlike(one: AggregatorText, other: AggregatorText): boolean {
  const howOf = (text: AggregatorText) => [addressOf(text), text.apiPrefix, text.wire];
  return isDeepStrictEqual(howOf(one), howOf(other));
}

function resolveAggregator(
  work: Resolving,
  text: AggregatorText,
  path: YamlPath,
): AggregatorSettings {
  if (text.baseUrl === undefined) reportMissing(work, path, "base_url");
  const { timeoutMs, timeouts, schedules: _, staleAfterMs: __, tls, proxy, ...plain } = text;
  const { files, http, ...watch } = text.watch;
  checkEntries(work, watch, [...path, "watch"]);
  checkStatuses(work, text, path);
  checkStaleness(work, text, path);
  return {
    ...plain,
    name: nameOf(text),
    baseUrl: addressOf(text),
    auth: {
      read: resolveCredential(work, text.auth.read, [...path, "auth", "read"]),
      act: resolveCredential(work, text.auth.act, [...path, "auth", "act"]),
    },
    route: resolveRoute(work, { tls, proxy }, path, {
      url: text.baseUrl,
      at: [...path, "base_url"],
      isSecret: [text.auth.read, text.auth.act].some(({ type }) => type !== "none"),
    }),
    timeouts: {
      requestMs: timeoutMs,
      connectMs: Math.min(timeouts.connectMs, timeoutMs),
      responseMs: Math.min(timeouts.responseMs, timeoutMs),
    },
    pollers: pollersOf(text),
    watch: {
      ...watch,
      orderStatuses: {
        spot: inOrderOfMoves(watch.orderStatuses.spot, text.statuses),
        futures: inOrderOfMoves(watch.orderStatuses.futures, text.statuses),
      },
    },
    watchSources: resolveWatchSources(work, { files, http }, [...path, "watch"]),
  };
}

function pollersOf(text: AggregatorText): PollerSettings[] {
  return POLLER_NAMES.flatMap((name) => {
    const schedule = text.schedules[name];
    if (schedule === null) return [];
    const intervalMs = longestIntervalMs(schedule);
    const staleAfterMs = text.staleAfterMs ?? MISSED_POLLS * intervalMs;
    const isSet = text.staleAfterMs === undefined ? {} : { isStaleAfterSet: true as const };
    return [{ name, schedule, intervalMs, staleAfterMs, ...isSet }];
  });
}

/** Refuses a `stale_after` so short that a reading is stale before the next poll, even if all polls succeed. */
function checkStaleness(work: Resolving, text: AggregatorText, path: YamlPath): void {
  const slow = pollersOf(text).find(
    ({ name, intervalMs, staleAfterMs }) =>
      staleAfterMs <= intervalMs && !isBroken(work, [...path, "schedules", name]),
  );
  if (slow !== undefined)
    work.report({
      id: "config/contradiction",
      path: [...path, "stale_after"],
      message: `"stale_after" is not longer than the schedule of ${slow.name}, ${formatDuration(slow.intervalMs)}`,
      hint: "leave it out: the default is three missed polls of each poller",
    });
}

/** Without a trailing slash. */
function addressOf({ baseUrl = "http://unset.invalid" }: NamedText): string {
  return baseUrl.replace(/\/+$/, "");
}

type NamedText = Pick<AggregatorText, "name" | "baseUrl">;

/** The name that is set; else `bsc-mainnet` for `https://host/bsc-mainnet/backend`, and without a path, the host. */
export function nameOf(text: NamedText): string {
  if (text.name !== undefined) return text.name;
  const url = URL.parse(addressOf(text));
  const segments = (url?.pathname ?? "").split("/").filter((part) => part !== "");
  const telling = segments.findLast((part) => !/^(?:backend|api|v\d+)$/i.test(part));
  const slug = (telling ?? url?.host ?? "aggregator")
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "");
  return slug === "" ? "aggregator" : slug;
}

/** Refuses a status that is listed under two meanings that exclude each other. */
function checkStatuses(work: Resolving, text: AggregatorText, path: YamlPath): void {
  const { open, cancelable, final } = text.statuses;
  const { active, settled, expired } = text.swapStatuses;
  const among = (words: readonly string[], word: string): boolean =>
    words.some((one) => isWord(one, word));
  const report = (place: YamlPath, message: string): void =>
    work.report({ id: "config/contradiction", path: [...path, ...place], message });
  // For a list that has a problem, the default counts.
  const isMeant = (section: string, keys: readonly string[]): boolean =>
    !keys.some((key) => isMisspelt(work, [...path, section, key]));
  for (const [index, word] of final.entries())
    if (among([...open, ...cancelable], word) && isMeant("statuses", ["open", "cancelable"]))
      report(
        ["statuses", "final", index],
        `the status "${word}" is final, and open or cancelable as well`,
      );
  for (const [key, words, others] of [
    ["settled", settled, active],
    ["expired", expired, [...active, ...settled]],
  ] as const)
    for (const [index, word] of words.entries())
      if (among(others, word) && isMeant("swap_statuses", ["active", "settled"]))
        report(
          ["swap_statuses", key, index],
          `the status "${word}" is ${key}, and another one of the three as well`,
        );
}
