import { z } from "@hono/zod-openapi";
import { entityKey, type EntityId } from "../../../domain/entity.ts";
import { formatDuration, MINUTE, parseDuration, type Millis } from "../../../domain/time.ts";
import { NOT_OF_LIST, readCursor, type PagedList, type Paging } from "./select.ts";

/** Parts that the queries of all lists share. */

export const MOST_ROWS = 1_000;
const ROWS = 100;
const LONGEST_WORD = 300;
const LONGEST_KEY = 600;
/** More conditions than a person writes. */
const MOST_PAIRS = 16;

/** A text that is neither empty nor too long. */
export function textUpTo(longest: number) {
  return z.string().min(1).max(longest);
}

export const wordQuery = textUpTo(LONGEST_WORD).optional();

/** An entity by kind and id, which several aggregators may have. */
export const entityWord = z
  .string()
  .max(LONGEST_KEY)
  .regex(/^[^/]+\/.+$/, "must be kind/id, such as exchange/BINANCE");

export const ENTITY_MEANS =
  "`KIND/ID`, such as exchange/BINANCE, or the whole key, `AGGREGATOR/KIND/ID`.";

export const entityQuery = entityWord.optional().openapi({ description: ENTITY_MEANS });

/** Whether a name is an entity's key: the whole key, or the key without the aggregator. */
export function isNamed(asked: string, key = ""): boolean {
  return key === asked || key.slice(key.indexOf("/") + 1) === asked;
}

/** How many of something are asked for: in digits, as an empty text would be 0 to `Number`. */
export function countQuery(least: number, most: number, usual: number, description: string) {
  const count = z.number().int().min(least).max(most);
  return z
    .string()
    .regex(/^-?\d+$/, "must be a whole number")
    .transform(Number)
    .pipe(count)
    .default(usual)
    .openapi({ type: "integer", minimum: least, maximum: most, default: usual, description });
}

export const limitQuery = countQuery(1, MOST_ROWS, ROWS, "The most rows of a page.");

/** The page of a list that is asked for. */
export function pageQuery(list: PagedList) {
  const cursor = z
    .string()
    .max(4_000)
    .refine((text) => readCursor(list, text) !== undefined, NOT_OF_LIST)
    .optional()
    .openapi({ description: "The `next` of the page before." });
  return { limit: limitQuery, cursor };
}

export const textQuery = z.string().max(LONGEST_WORD).optional().openapi({
  description: "Words that must all be in its key, its facts or its texts, in upper or lower case.",
});

export const instantText = z.iso.datetime({
  offset: true,
  error: "must be an instant such as 2026-01-31T12:00:00Z",
});

export const atQuery = instantText
  .optional()
  .openapi({ description: "As of this instant, as far as the journal looks back." });

/** The filters of alerts and remediations, which have a rule and an entity. */
export const aboutQuery = {
  at: atQuery,
  aggregator: wordQuery,
  kind: wordQuery,
  entity: entityQuery,
  alertname: wordQuery,
};

type About = { readonly [Name in "aggregator" | "kind" | "entity"]?: string | undefined };

/** Whether an entity passes the filters. */
export function isAbout({ aggregator, kind, entity }: About, own: EntityId): boolean {
  return (
    (aggregator === undefined || aggregator === own.aggregator) &&
    (kind === undefined || kind === own.kind) &&
    (entity === undefined || isNamed(entity, entityKey(own)))
  );
}

/** The length of a duration that is written as text. */
export function durationText(least: Millis, longest: Millis, problem: string) {
  const length = z.number().min(least, problem).max(longest, problem);
  return z
    .string()
    .transform((written) => parseDuration(written) ?? 0)
    .pipe(length);
}

/** A duration of at least a minute; `usual` is the default. */
export function durationQuery(usual: string, longest: Millis) {
  const problem = `must be a duration such as 1h, of 1m to ${formatDuration(longest)}`;
  return durationText(MINUTE, longest, problem).prefault(usual).openapi({ default: usual });
}

/** To sort by a fact, with the fact's name for `NAME`. */
export const BY_FACT = "fact.NAME";

/** `NAME=VALUE`, once or several times. */
export function pairsQuery(description: string) {
  const pair = z
    .string()
    .max(2 * LONGEST_WORD)
    .regex(/^[^=]+=/, "must be NAME=VALUE");
  return z
    .union([pair, z.array(pair).max(MOST_PAIRS)])
    .optional()
    .openapi({ description });
}

/** Each pair is a condition of its own, also if several are about one name. */
export function pairsOf(
  query: string | readonly string[] | undefined,
): ReadonlyArray<readonly [name: string, value: string]> {
  const all = query === undefined ? [] : typeof query === "string" ? [query] : query;
  return all.map((pair) => {
    const cut = pair.indexOf("=");
    return [pair.slice(0, cut), pair.slice(cut + 1)];
  });
}

/** Some of a list of words; `ifNone` ends the description with the meaning of none. */
export function someOf<Word extends string>(words: readonly Word[], longest: number, ifNone = "") {
  const all = words.join(", ");
  const isWord = (one: string): boolean => words.some((word) => word === one);
  return z
    .string()
    .max(longest)
    .refine((text) => text.split(",").every(isWord), `must be some of ${all}`)
    .transform((text) => text.split(",") as Word[])
    .optional()
    .openapi({ description: `Some of ${all}, with commas between${ifNone}.` });
}

/** One of these words; a minus before it reverses the order. */
export function sortQuery(words: readonly string[], usual: string) {
  const patterns = words.map((word) => (word === BY_FACT ? String.raw`fact\..+` : word));
  return z
    .string()
    .max(LONGEST_WORD)
    .regex(
      new RegExp(`^-?(${patterns.join("|")})$`),
      `must be one of ${words.join(", ")}, and - before it reverses the order`,
    )
    .default(usual);
}

type PageQuery = {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: string;
};

export function pagingOf(
  list: PagedList,
  { limit, cursor, sort }: PageQuery,
): Paging & { readonly sortBy: string } {
  const isDescending = sort.startsWith("-");
  return {
    list,
    limit,
    isDescending,
    sortBy: isDescending ? sort.slice(1) : sort,
    after: cursor === undefined ? undefined : readCursor(list, cursor),
  };
}

/** Characters that have a meaning in a regular expression. */
const SPECIAL = /[$()*+./?[\\\]^{|}]/g;

type Texts = Readonly<Record<string, unknown>>;

/** Whether each word of the query is in the key or in one of the texts. Words are literal, not patterns. */
export function textMatcher(
  text: string | undefined,
): (key: string, ...of: readonly Texts[]) => boolean {
  const words = (text ?? "").split(/\s+/).filter((word) => word !== "");
  const patterns = words.map((word) => new RegExp(word.replaceAll(SPECIAL, String.raw`\$&`), "iu"));
  return (key, ...of) =>
    patterns.every((pattern) => pattern.test(key) || of.some((texts) => isIn(pattern, texts)));
}

function isIn(pattern: RegExp, texts: Texts): boolean {
  for (const name in texts) {
    const one = texts[name];
    if (typeof one === "string" && pattern.test(one)) return true;
  }
  return false;
}
