import { describe, expect, it } from "vitest";
import { isLasting } from "../../../src/io/postgres/connection.ts";

const failure = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });
const said = (code: string, severity = "FATAL"): Error =>
  Object.assign(failure("said by the server", code), { severity });

describe("what waiting for a database does not mend", () => {
  it.each(["28P01", "28000", "3D000", "42501", "3F000"])("is what the server says: %s", (code) => {
    expect(isLasting(said(code))).toBe(true);
  });

  it("is TLS that is not trusted, or not spoken", () => {
    expect(isLasting(failure("self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"))).toBe(true);
    expect(isLasting(failure("The server does not support SSL connections"))).toBe(true);
  });
});

describe("what passes", () => {
  it.each(["57P03", "57P01", "53300", "53100", "08P01", "25006", "55P03", "40001", "58030"])(
    "is said by a server that cannot do it now: %s",
    (code) => {
      expect(isLasting(said(code))).toBe(false);
    },
  );

  it.each(["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"])(
    "is that none is reached: %s",
    (code) => {
      expect(isLasting(failure("connect", code))).toBe(false);
    },
  );

  it.each(["Connection terminated due to connection timeout", "Query read timeout"])(
    "is that none answers: %s",
    (message) => {
      expect(isLasting(failure(message))).toBe(false);
    },
  );
});
