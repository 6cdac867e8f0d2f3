/** Signs in the objects around the data that a request failed, though its status is that of a success. */

/** A field of these objects. Of its key, only letters and digits are kept, in lower case. */
export type Said = {
  readonly key: string;
  readonly value: unknown;
  readonly path: string;
  /** It is in the outermost object. */
  readonly isTop: boolean;
  /** It is a list or an object of entries, and not empty. */
  readonly hasEntries: boolean;
};

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export const ERRORS = words("error errors errormessage");
const WENT_WELL = words("success succeeded ok");
const CODES = words("code retcode errcode");
const MESSAGES = words("msg message retmsg errmsg");
const FAILED = /^(?:error|fail|failed|failure)$/i;
const SUCCESS_CODE = /^(?:0+|20\d0*|ok|success)$/i;
const SUCCESS_MESSAGE = /^(?:ok|success\w*|succeed\w*)\W*$/i;
/** An object with one of these is an entry, whose status is a fact and not that of the request. */
const IDS = words("id orderid");

/**
 * Finds out which of all that a body says is a sign of failure. A status or a code is one only in the reply of a
 * listing: in that of one entry, it may be the entry's own.
 */
export function failureSigns(said: readonly Said[], isListing: boolean): (one: Said) => boolean {
  const top = said.filter(({ isTop }) => isTop);
  const mayHaveStatus = isListing && !top.some(({ key }) => IDS.has(key));
  const mayHaveCode =
    isListing && top.some(isMessage) && !said.some(({ hasEntries }) => hasEntries);
  return ({ key, value, isTop }) => {
    if (ERRORS.has(key)) return means(value);
    if (WENT_WELL.has(key)) return (isTop || isListing) && /^false$/i.test(String(value));
    if (!isTop) return false;
    if (key === "status") return mayHaveStatus && isFailedStatus(value);
    return CODES.has(key) && mayHaveCode && isFailedCode(value);
  };
}

/** Not null, nor another way to say nothing. */
export function means(value: unknown): boolean {
  if (typeof value === "string") return !/^(?:|0|null|none|false|no)$/i.test(value.trim());
  if (typeof value === "object" && value !== null) return Object.values(value).some(means);
  return value !== null && value !== undefined && value !== false && value !== 0;
}

function isMessage({ key, value }: Said): boolean {
  const isText = typeof value === "string" && MESSAGES.has(key);
  return isText && value.trim() !== "" && !SUCCESS_MESSAGE.test(value.trim());
}

function isFailedStatus(value: unknown): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  return FAILED.test(String(value).trim()) || (Number(value) >= 400 && Number(value) < 600);
}

function isFailedCode(value: unknown): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  return value !== "" && !SUCCESS_CODE.test(String(value).trim());
}
