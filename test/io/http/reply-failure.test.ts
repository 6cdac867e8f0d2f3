import { describe, expect, it } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { errorReason, failureOfReply, isSuccess } from "../../../src/io/http/reply-failure.ts";

describe("a status", () => {
  const STATUSES = [199, 200, 204, 299, 300, 404];

  it("is a success from 200 to 299, or as the profile says", () => {
    expect(STATUSES.filter((status) => isSuccess(status, undefined))).toEqual([200, 204, 299]);
    expect(STATUSES.filter((status) => isSuccess(status, [204]))).toEqual([204]);
  });
});

describe("the failure of a reply", () => {
  const failureOf = (
    status: number,
    headers: Readonly<Record<string, string>> = {},
    body = "",
    redact = (text: string) => text,
  ) => failureOfReply({ status, headers, body }, 0, redact);

  it.each([
    [300, "redirect"],
    [399, "redirect"],
    [299, "status"],
    [400, "status"],
  ])("is by its status %i a %s", (status, reason) => {
    expect(failureOf(status)).toMatchObject({ status, reason });
  });

  it.each([
    ["https://me:pw@sso.example:8443/login?token=x#y", " (https://sso.example:8443/login)"],
    ["/login?token=x", " (/login)"],
    ["//sso.example/login?token=x", " (//sso.example/login)"],
    ["login?token=x", ""],
    ["", ""],
  ])("says where a redirect points, without what may be secret: %s", (location, shown) => {
    const message = `status 302 points elsewhere${shown}`;
    expect(failureOf(302, { location }).message).toBe(message);
  });

  it("has no time to wait if none was given, and the one that was", () => {
    expect(failureOf(503)).toEqual({ reason: "status", status: 503, message: "status 503" });
    expect(failureOf(429, { "retry-after": "7" })).toMatchObject({ retryAfterMs: 7 * SECOND });
  });

  it("is redacted before it is cut, so that no half of a secret is left", () => {
    const secret = "s3cret".repeat(10);
    const redact = (text: string): string => text.replaceAll(secret, "[redacted]");
    const long = `${"x".repeat(170)}${secret}`;
    const body = JSON.stringify({ error: { reason: long } });
    expect(failureOf(500, {}, body, redact).message).toMatch(/x\[redacted\]$/);
    expect(failureOf(302, { location: `/${long}` }, "", redact).message).toMatch(
      /x\[redacted\]\)$/,
    );
  });
});

describe("the reason in an error body", () => {
  const reasonIn = (error: object): string | undefined => errorReason(JSON.stringify({ error }));

  it("is one line of 200 characters, and its code if that is a number", () => {
    expect(reasonIn({ reason: `a\n\t${"b".repeat(300)}` })).toBe(`a ${"b".repeat(198)}`);
    expect(reasonIn({ reason: "a", code: "b" })).toBe("a");
    expect(reasonIn({ reason: "a", code: 7 })).toBe("a (code 7)");
    expect(reasonIn({ reason: "a\nb\nc" })).toBe("a b c");
    expect(reasonIn({ reason: " " })).toBeUndefined();
    for (const body of ["null", '{"error":null}', '"reason"', "[]"])
      expect(errorReason(body), body).toBeUndefined();
  });

  it("is not looked for in a body that is too long for one", () => {
    const body = (length: number): string => `{"error":{"reason":"a"}${"".padEnd(length - 24)}}`;
    expect(errorReason(body(100_000))).toBe("a");
    expect(errorReason(body(100_001))).toBeUndefined();
  });
});
