/** Codes of an answer that is not valid HTTP. */
export const NOT_HTTP = /^(HPE_|Z_|ERR_ENCODING)/;

/** The most telling code of an error or of its causes: the library's own codes say little. */
export function errorCode(causes: readonly Error[]): string {
  const codes = causes.flatMap((cause) =>
    "code" in cause && typeof cause.code === "string" ? [cause.code] : [],
  );
  return codes.find((code) => NOT_HTTP.test(code)) ?? codes[0] ?? "no code";
}
