import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NO_SUCH_LOGIN } from "../../../src/io/postgres/client.ts";
import { currentConnection, isLasting, queryProblem } from "../../../src/io/postgres/connection.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

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

  it("is a way to log in that aggwatch does not have", () => {
    expect(isLasting(failure(`${NO_SUCH_LOGIN}: let the role log in otherwise`))).toBe(true);
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

it.each([
  ["25006", "the URL must lead to the primary"],
  ["42501", "the role of the URL needs to own the tables"],
  ["55P03", "pg_locks says which"],
])("what the server says is explained if that is not enough: %s", (code, meaning) => {
  expect(queryProblem(said(code))).toMatch(/^said by the server: /);
  expect(queryProblem(said(code))).toContain(meaning);
});

it("what the driver says of a query that took too long is explained", () => {
  const said = "Query read timeout: the database took the query, and did not answer in time";
  expect(queryProblem(failure("Query read timeout"))).toBe(said);
});

const urlOf = (user: string, place = "db.example/aggwatch"): string =>
  `postgres://${user}@${place}`;

it("the next connection is by the URL in the file, unless that is gone or of another database", (context) => {
  const { path, remove } = temporaryDirectory();
  context.onTestFinished(remove);
  const file = join(path, "url");
  const connectionOf = (user: string) => ({ connectionString: urlOf(user), ssl: false });
  const current = currentConnection(urlOf("old"), file);
  expect(current()).toEqual(connectionOf("old"));
  writeFileSync(file, `${urlOf("rotated")}\n`);
  expect(current()).toEqual(connectionOf("rotated"));
  for (const place of ["other.example/aggwatch", "db.example/other"]) {
    writeFileSync(file, urlOf("guest", place));
    expect(current()).toEqual(connectionOf("rotated"));
  }
  rmSync(file);
  expect(current()).toEqual(connectionOf("rotated"));
});

it("the next connection has the certificate that is there by then, or the one before while there is none", (context) => {
  const { path, remove } = temporaryDirectory();
  context.onTestFinished(remove);
  const file = join(path, "ca.pem");
  writeFileSync(file, "one");
  const query = `sslmode=verify-full&sslrootcert=${file}`;
  const current = currentConnection(urlOf("a", `db.example/aggwatch?${query}`), undefined);
  rmSync(file);
  expect(current()).toMatchObject({ ssl: { ca: "one" } });
  writeFileSync(file, "two");
  expect(current()).toMatchObject({ ssl: { ca: "two" } });
});
