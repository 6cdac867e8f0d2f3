import type { Problem } from "./problem.ts";
import { onlyCommentsBetween, type Ignore } from "./yaml/ignore-comments.ts";

/** Every lint of the config itself: what it means, in the order of docs/lint.md. All are warnings. */
export const CONFIG_LINTS = {
  "lint/watch-conflict": "Sources of a [watch list](watch-lists.md) disagree about an entry.",
  "lint/sweep-too-long":
    "At the configured rate, a sweep of a poller takes longer than its schedule allows ([the rate](watch-lists.md#ten-thousand-senders)).",
  "lint/max-age-too-short":
    "At the configured rate, a reading is older than `actions.max_age` by the time it is complete, so no action is ever sent on it.",
  "lint/same-aggregator":
    "Two aggregators have the same address, and are asked in the same way, so they are one. The log says so too.",
  "lint/secret-in-clear":
    "A URL is plain `http`, and a credential or a secret URL is sent to it; or that of the [database](high-availability.md#the-database) has a password and no TLS. The log says so too, at the start and at each reload.",
  "lint/writable-secret":
    "Every user of the machine can write to a secret file or the tokens file, and so decide what is sent or who may call. What is mounted to be read only is left out. The log says so too.",
} as const satisfies Readonly<Record<`lint/${string}`, string>>;

export type ConfigLint = keyof typeof CONFIG_LINTS;

/**
 * Takes off the lints that a comment in the config file ignores: on the line of the lint or on comment lines right
 * before it. Renamed keys and other problems stay.
 */
export function withoutIgnored(lints: readonly Problem[], ignores: readonly Ignore[]) {
  const used = new Set<Ignore>();
  const left = lints.filter((lint) => {
    const ignore = ignores.find((one) => isAbout(one, lint));
    if (ignore !== undefined) used.add(ignore);
    return ignore === undefined;
  });
  return { left, used };
}

function isAbout(ignore: Ignore, { id, file, line }: Problem): boolean {
  if (!Object.hasOwn(CONFIG_LINTS, id) || ignore.id !== id || ignore.source.file !== file)
    return false;
  return ignore.line === line || onlyCommentsBetween(ignore, line);
}
