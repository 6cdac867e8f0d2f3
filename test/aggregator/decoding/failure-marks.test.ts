import { describe, expect, it } from "vitest";
import {
  acceptedCode,
  failureSigns,
  means,
  type Listed,
  type Said,
} from "../../../src/aggregator/decoding/failure-marks.ts";
import { marksOfBody } from "../../../src/aggregator/decoding/partial-marks.ts";

const LISTING: Listed = { hasEntries: false };

function field(key: string, value: unknown, isTop = true): Said {
  return { key, value, isTop, path: `$.${key}`, mayBeName: false, holds: undefined };
}

/** Whether a field, by default at the top of a listing's reply, is a sign that it failed. */
function isSign(
  key: string,
  value: unknown,
  where: { readonly isSingle?: true; readonly isTop?: false; readonly beside?: string } = {},
): boolean {
  const said = field(key, value, where.isTop);
  const others = where.beside === undefined ? [] : [field(where.beside, 1)];
  return failureSigns([said, ...others], where.isSingle ? undefined : LISTING)(said);
}

describe("a sign of failure", () => {
  it.each(["error", "FAILED", " fail ", "failure", 400, "503", 599])(
    "is the status %j of a listing",
    (status) => {
      expect(isSign("status", status)).toBe(true);
    },
  );

  it.each(["no-error", "errors", "failover", 200, 399, 600, "", true, null, ["error"]])(
    "is not the status %j",
    (status) => {
      expect(isSign("status", status)).toBe(false);
    },
  );

  it("is no status of what may be an entry: it is one's own", () => {
    expect(isSign("status", "failed", { beside: "orderid" })).toBe(false);
    expect(isSign("status", "failed", { isSingle: true })).toBe(false);
    expect(isSign("status", "failed", { isTop: false })).toBe(false);
  });

  it("is that something did not go well, and not what only looks like it", () => {
    for (const value of [false, "false", " FALSE "]) expect(isSign("ok", value)).toBe(true);
    for (const value of [true, "falsework", "not false", 0, null])
      expect(isSign("ok", value)).toBe(false);
  });

  it("is an error that says something, however deep", () => {
    for (const value of ["down", { code: 0, text: ["down"] }, 7, true])
      expect(isSign("error", value), JSON.stringify(value)).toBe(true);
    for (const value of ["", " None ", "no errors", "OK", {}, [], { text: "" }, 0, false, null])
      expect(isSign("error", value), JSON.stringify(value)).toBe(false);
  });
});

it.each([false, "False"])("a page that is not the last, by %j, says that there is more", (last) => {
  const body = { list: ["A"], page: { last } };
  expect(marksOfBody(body, [], LISTING).doubt).toMatchObject({ reason: "more_elsewhere" });
  const whole = marksOfBody({ ...body, page: { last: "true" } }, [], LISTING);
  expect(whole.doubt).toBeUndefined();
});

it("a value means something if it is not one of the ways to say nothing", () => {
  for (const value of ["a", "00", 1, true, { a: [1] }]) expect(means(value)).toBe(true);
  for (const value of ["", " no ", "NULL", "0", 0, false, null, undefined, {}, { a: [null] }])
    expect(means(value), JSON.stringify(value)).toBe(false);
});

it("a code is learned from a reply with entries only, and none that is one of a failure", () => {
  const said = (code: unknown): readonly Said[] => [field("code", code), field("msg", "")];
  const listed: Listed = { hasEntries: true };
  expect(acceptedCode(said(1), listed)).toBe("1");
  expect(acceptedCode(said(" 1 "), listed)).toBe("1");
  expect(acceptedCode(said(1), LISTING)).toBeUndefined();
  for (const code of [500, -1, "", true, null])
    expect(acceptedCode(said(code), listed), String(code)).toBeUndefined();
});
