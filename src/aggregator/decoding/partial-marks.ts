import type { HttpReply } from "../../domain/http.ts";
import type { Doubt, DoubtReason } from "../../domain/observation.ts";
import type { Json } from "../../domain/result.ts";
import { isRecord } from "../../domain/values/plain-values.ts";
import { snippet } from "./decode.ts";
import {
  acceptedCode,
  codeIn,
  ERRORS,
  failureSigns,
  isFalse,
  isOfEnvelope,
  means,
  words,
  type Listed,
  type Said,
} from "./failure-marks.ts";

/**
 * Signs in a reply that no action may rest on it: that it is only a part, or that an error came with it. They are
 * looked for in the reply as it came, before any `map`, and in the objects around the data, not in the data.
 * What a deployment ignores (`wire.<endpoint>.ignore`) is passed over, so that it hides no other sign.
 */

type Ignore = readonly DoubtReason[];

/** Keys that say, with any value but an empty one, that there is more. They are compared by letters and digits alone. */
const MORE = words(
  "next nextpage nextcursor nextpagecursor nexttoken nextpagetoken nexturl nextpageurl nextlink odatanextlink " +
    "continuation continuationtoken hasmore hasnext hasnextpage more moreresults truncated istruncated partial " +
    "ispartial incomplete isincomplete incompleteresults",
);
/** Keys that say so by `false`. */
const WHOLE = words("complete iscomplete last islast lastpage islastpage");
const TOTALS = words(
  "total totalcount totalnum totalsize totalitems totalresults totalelements totalrecords",
);
/** How many pages there are, of which only one was asked for. */
const PAGES = words("pages totalpage totalpages pagecount numpages lastpage");
/** Keys of objects with the data, which may say so as well, unless their keys are the names of entries. */
const AROUND_DATA = words("data result results payload response body");
/** Keys of objects that hold no data. */
const BESIDE_DATA = words("meta metadata pagination paging paginator page pageinfo links cursors");
const DEEPEST_AROUND = 3;

/** What the body says; `entries` is how many items its lists have, undefined if it has no list. */
type BodyMarks = {
  readonly entries: number | undefined;
  readonly doubt: Doubt | undefined;
  /** The code that came with entries, and so means a success; beside a doubt, the code that must be accepted to lift it. */
  readonly code?: string | undefined;
};

/** `listed` is left out for the reply of one entity: an object around that may be the entity itself. */
export function marksOfBody(body: Json, ignore: Ignore, listed?: Listed): BodyMarks {
  if (Array.isArray(body)) return { entries: body.length, doubt: undefined };
  const said = [...saidAround(body, "$", 0)];
  const lists = said.filter(({ value }) => Array.isArray(value));
  const entries =
    lists.length === 0
      ? undefined
      : lists.reduce((sum, { value }) => sum + (value as readonly unknown[]).length, 0);
  // An object of plain values is itself the data: its `error` or `total` is a fact of what it shows.
  const hasData = said.some(
    ({ key, value }) => !ERRORS.has(key) && typeof value === "object" && value !== null,
  );
  // A map may make an empty listing of an object that has none.
  if (!hasData && listed === undefined) return { entries, doubt: undefined };
  const saysFailed = failureSigns(said, listed);
  for (const one of said) {
    const other = hasData ? doubtBy(one, entries) : undefined;
    const doubt = saysFailed(one) ? failed(one, hasData) : other;
    if (doubt !== undefined && !ignore.includes(doubt.reason)) {
      const code = codeIn(one);
      const isAccepted = code !== undefined && listed?.accepted?.has(code) === true;
      return { entries, doubt, code: isAccepted ? undefined : code };
    }
  }
  return { entries, doubt: undefined, code: acceptedCode(said, listed) };
}

function* saidAround(
  body: unknown,
  path: string,
  depth: number,
  mayHaveNames = true,
): Generator<Said> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return;
  const fields = Object.entries(body).map(
    ([name, value]: [string, unknown]) => [name, keyOf(name), value] as const,
  );
  const isAroundData = fields.some(([, key]) => isAround(key) || isOfEnvelope(key));
  const isWithinData = depth > 0 && mayHaveNames;
  const hasNames = mayHaveNames && !isAroundData && areAlike(fields.map(([, , value]) => value));
  for (const [name, key, value] of fields) {
    const own = `${path}.${name.slice(0, 40)}`;
    const isEntered = isAround(key) && depth < DEEPEST_AROUND && !Array.isArray(value);
    // Exchanges and assets have their names in capitals.
    const isNamed = name === name.toUpperCase();
    yield {
      key,
      value,
      path: own,
      isTop: depth === 0,
      holds:
        AROUND_DATA.has(key) || isWithinData
          ? holdsOf(value, isEntered, isNamed || hasNames)
          : undefined,
      mayBeName: hasNames && isNamed,
    };
    if (isEntered) yield* saidAround(value, own, depth + 1, AROUND_DATA.has(key));
  }
}

/** What a field of the data, or the data itself, holds of it. An object that is entered says more within. */
function holdsOf(value: unknown, isEntered: boolean, isEntry: boolean): Said["holds"] {
  if (Array.isArray(value)) return value.length > 0 ? "entries" : "nothing";
  if (isEntered) return isFilled(value) ? undefined : "nothing";
  return isEntry && isFilled(value) ? "entries" : undefined;
}

function isAround(key: string): boolean {
  return AROUND_DATA.has(key) || BESIDE_DATA.has(key);
}

/**
 * Whether these may be entries of one kind: several of one type, and objects have fields in common. What is null or an
 * empty object fits with other objects.
 */
function areAlike(values: readonly unknown[]): boolean {
  const filled = values.filter((one) => typeof one !== "object" || isFilled(one));
  const [first, ...others] = filled;
  if (others.length === 0) return false;
  if (typeof first !== "object") {
    const isPlain = filled.length === values.length;
    return (
      isPlain && (others.every((other) => typeof other === typeof first) || filled.every(isNumber))
    );
  }
  if (Array.isArray(first)) return others.every(Array.isArray);
  const keys = new Set(Object.keys(first ?? {}));
  return others.every(
    (other) => isRecord(other) && Object.keys(other).some((key) => keys.has(key)),
  );
}

/** Also one that is written as a text. */
function isNumber(value: unknown): boolean {
  return (
    typeof value === "number" ||
    (typeof value === "string" && value !== "" && Number.isFinite(Number(value)))
  );
}

/** A list, or an object that is not empty. */
function isFilled(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.keys(value).length > 0;
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function failed({ path, value }: Said, hasData: boolean): Doubt {
  const where = hasData ? "beside data" : "instead of data";
  return { reason: "error_beside_data", detail: `${path} is ${snippet(value)}, ${where}` };
}

function doubtBy(
  { key, value, path, mayBeName }: Said,
  entries: number | undefined,
): Doubt | undefined {
  if (mayBeName) return undefined;
  const saysMore = (MORE.has(key) && means(value)) || (WHOLE.has(key) && isFalse(value));
  if (saysMore) return { reason: "more_elsewhere", detail: `${path} says that there is more` };
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number") return undefined;
  if (PAGES.has(key) && number > 1)
    return { reason: "more_elsewhere", detail: `${path} is ${number}, and one page was read` };
  if (TOTALS.has(key) && entries !== undefined && number > entries)
    return fewerThan(path, number, entries);
  return undefined;
}

function fewerThan(what: string, total: number, entries: number): Doubt {
  return { reason: "total_not_reached", detail: `${what} is ${total}, and ${entries} came` };
}

/**
 * What the status and the headers say of a body with so many entries. A 304 stands for a body that came whole. No value
 * but a number is repeated.
 */
export function doubtOfHeaders(
  reply: Pick<HttpReply, "status" | "headers">,
  entries: number | undefined,
  ignore: Ignore,
): Doubt | undefined {
  return [...saidByHeaders(reply, entries)].find(({ reason }) => !ignore.includes(reason));
}

/**
 * 110: the response of a cache on the way is stale; 111: it could not be revalidated (RFC 7234 section 5.5). `Age` alone
 * says nothing: a cache in front of a deployment may serve everything a few seconds old, and answers by its own rules.
 */
const STALE = /(?:^|,)\s*11[01]\s/;

function* saidByHeaders(
  { status, headers }: Pick<HttpReply, "status" | "headers">,
  entries: number | undefined,
): Generator<Doubt> {
  if (STALE.test(headers["warning"] ?? ""))
    yield { reason: "stale_cache", detail: "the header Warning says that a cache answered" };
  if (status === 304) return;
  if (status === 206) yield { reason: "partial_content", detail: "status 206" };
  if (headers["content-range"] !== undefined)
    yield { reason: "partial_content", detail: "the header Content-Range" };
  if (/;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i.test(headers["link"] ?? ""))
    yield { reason: "more_elsewhere", detail: "the header Link names a next page" };
  const next = headers["x-next-page"] ?? "";
  if (next.trim() !== "")
    yield { reason: "more_elsewhere", detail: "the header x-next-page names a next page" };
  if (Number(headers["x-total-pages"] ?? Number.NaN) > 1)
    yield { reason: "more_elsewhere", detail: "the header x-total-pages is more than 1" };
  for (const name of ["x-total-count", "x-total"]) {
    const total = Number(headers[name] ?? Number.NaN);
    if (entries !== undefined && total > entries)
      yield fewerThan(`the header ${name}`, total, entries);
  }
}
