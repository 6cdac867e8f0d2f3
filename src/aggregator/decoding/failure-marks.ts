import {
  namesFailure,
  saysOnlySuccess,
  tellsOfFailure,
  tellsOfSuccess,
  withoutDenials,
} from "./message-words.ts";

/** Signs in the objects around the data that a request failed, though its status is that of a success. */

/** A field of these objects. Of its key, only letters and digits are kept, in lower case. */
export type Said = {
  readonly key: string;
  readonly value: unknown;
  readonly path: string;
  /** It is in the outermost object. */
  readonly isTop: boolean;
  /** What it holds of the data: entries, or none; undefined if it holds none of the data, or it cannot be said. */
  readonly holds: "entries" | "nothing" | undefined;
  /** It may be the name of an entry, such as the exchange OK, so that it is no sign. */
  readonly mayBeName: boolean;
};

/** What is known of a listing: whether any entry was decoded, and which codes came with decoded entries before. */
export type Listed = {
  readonly hasEntries: boolean;
  readonly accepted?: ReadonlySet<string> | undefined;
};

type IsSign = (one: Said) => boolean;

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export const ERRORS = words("error errors errormessage");
const WENT_WELL = words("success succeeded ok");
const CODES = words("code retcode errcode");
const MESSAGES = words("msg message retmsg errmsg");
const FAILED = /^(?:error|fail|failed|failure)$/i;
/** S0000 as well. */
const SUCCESS_CODE = /^(?:[a-df-z]?0+|20\d0*|(?:ok|success)[_-]?0*)$/i;
/** Below 0, or like a status of HTTP: 500, 40001, 500000. */
const FAILURE_CODE = /^(?:-\d+|[45]\d\d\d{0,3})$/;
/** An object with one of these is an entry, whose status is a fact and not that of the request. */
const IDS = words("id orderid");

/**
 * Finds out which of all that a body says is a sign of failure. A status or a code is one only in the reply of a
 * listing: in that of one entry, it may be the entry's own.
 */
export function failureSigns(said: readonly Said[], listed: Listed | undefined): IsSign {
  const isListing = listed !== undefined;
  const top = said.filter(({ isTop }) => isTop);
  const mayHaveStatus = isListing && !top.some(({ key }) => IDS.has(key));
  const messages = messagesOf(top);
  const mayHaveCode = isListing && messages.length > 0 && !listed.hasEntries;
  const isFailed = mayHaveCode ? failedCodes(messages, said, listed.accepted) : () => false;
  return ({ key, value, isTop, mayBeName }) => {
    if (ERRORS.has(key)) return isError(value);
    if (mayBeName) return false;
    if (WENT_WELL.has(key)) return (isTop || isListing) && isFalse(value);
    if (!isTop) return false;
    if (key === "status") return mayHaveStatus && isFailedStatus(value);
    return CODES.has(key) && isFailed(value);
  };
}

/** The code of a reply with entries, if it is not known to be one of a failure: it says what this API calls a success. */
export function acceptedCode(
  said: readonly Said[],
  listed: Listed | undefined,
): string | undefined {
  if (listed?.hasEntries !== true) return undefined;
  const top = said.filter(({ isTop }) => isTop);
  const code = top.map(codeIn).find((found) => found !== undefined);
  if (code === undefined || isFailureCode(code)) return undefined;
  return messagesOf(top).some((text) => tellsOfFailure(text, true)) ? undefined : code;
}

/** A map may take none of the entries that came. Other lists, such as a trace, stand beside data that holds nothing. */
function haveEntries(said: readonly Said[]): boolean {
  return (
    said.some(({ holds }) => holds === "entries") && said.every(({ holds }) => holds !== "nothing")
  );
}

/** The code that a field gives, if it is one of a code. */
export function codeIn({ key, value }: Said): string | undefined {
  return CODES.has(key) ? codeOf(value) : undefined;
}

/** Whether a key stands in the object around data, beside the data itself. */
export function isOfEnvelope(key: string): boolean {
  return CODES.has(key) || MESSAGES.has(key) || ERRORS.has(key);
}

/** Not null, nor another way to say nothing. */
export function means(value: unknown): boolean {
  if (typeof value === "string") return !/^(?:|0|null|none|false|no)$/i.test(value.trim());
  if (typeof value === "object" && value !== null) return Object.values(value).some(means);
  return value !== null && value !== undefined && value !== false && value !== 0;
}

/** Not empty, nor a way to say that there is none: OK, no errors. */
function isError(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(isError);
  if (typeof value !== "string") return means(value);
  const rest = withoutDenials(value);
  return means(rest) && !saysOnlySuccess(rest);
}

/** All but those that say no more than "ok". */
function messagesOf(top: readonly Said[]): readonly string[] {
  return top.flatMap(({ key, value }) => {
    const text = typeof value === "string" && MESSAGES.has(key) ? value.trim() : "";
    return text === "" || saysOnlySuccess(text) ? [] : [text];
  });
}

/** Also as a text. */
export function isFalse(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^\s*false\s*$/i.test(value));
}

function isFailedStatus(value: unknown): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  return FAILED.test(String(value).trim()) || (Number(value) >= 400 && Number(value) < 600);
}

/**
 * Which codes are those of a failure. Each API has codes of its own. One that is neither known nor explained by its
 * message counts as a failure: to judge nothing harms less than to believe that nothing is disabled.
 */
function failedCodes(
  messages: readonly string[],
  said: readonly Said[],
  accepted: ReadonlySet<string> | undefined,
): (value: unknown) => boolean {
  const hasEntries = haveEntries(said);
  const isExplained = hasEntries || messages.some(tellsOfSuccess);
  const saysFailed = messages.some((text) => tellsOfFailure(text, hasEntries));
  return (value) => {
    const code = codeOf(value);
    if (code === undefined || SUCCESS_CODE.test(code)) return false;
    if (saysFailed || isFailureCode(code)) return true;
    return accepted?.has(code) !== true && !isExplained;
  };
}

function codeOf(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const code = String(value).trim();
  return code === "" ? undefined : code;
}

function isFailureCode(code: string): boolean {
  return FAILURE_CODE.test(code) || namesFailure(code);
}
