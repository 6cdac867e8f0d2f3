import { describe, expect, it } from "vitest";
import { connectProblem, isLasting, queryProblem } from "../../../src/io/postgres/connection.ts";

/** As PgBouncer says whatever it has to say by itself. */
const said = (message: string): Error =>
  Object.assign(new Error(message), { code: "08P01", severity: "FATAL" });
const cached = (message: string): string =>
  `server login has been failing, cached error: ${message} (server_login_retry)`;

describe("what PgBouncer says and waiting does not mend", () => {
  it.each([
    ["no such database: aggwatch", "[databases]"],
    ["no such user", "auth_file"],
    ["password authentication failed", "auth_file"],
    ["SASL authentication failed", "auth_file"],
    ["certificate authentication failed", "auth_file"],
    ['"trust" authentication failed', "auth_file"],
    ["login rejected", "auth_file"],
    ["auth failed", "auth_file"],
    ["SSL required", "sslmode=verify-full"],
    ["unsupported startup parameter: search_path", "ignore_startup_parameters"],
    ["unsupported options startup parameter: only '-c config=val' is allowed", "ignore_startup"],
    ["server login failed: wrong password type", "for the database"],
    [cached('password authentication failed for user "aggwatch"'), "for the database"],
    [cached('database "aggwatch" does not exist'), "for the database"],
    [cached('role "aggwatch" does not exist'), "for the database"],
    [cached('no pg_hba.conf entry for host "10.0.0.7", user "a"'), "for the database"],
    [cached("server login failed: wrong password type"), "for the database"],
  ])("%s: it is told what to change", (message, change) => {
    expect(isLasting(said(message))).toBe(true);
    const told = connectProblem(said(message));
    expect(told.slice(0, message.length + 2)).toBe(`${message}: `);
    expect(told).toContain(change);
    expect(queryProblem(said(message))).toBe(told);
  });
});

describe("what PgBouncer says and passes", () => {
  it.each([
    ["no more connections allowed (max_client_conn)", "more clients"],
    ["client connections exceeded (max_db_client_connections)", "more clients"],
    ["query_wait_timeout", "default_pool_size"],
    ['database "aggwatch" is disabled', "ENABLE"],
    // It says so too if it loses the database while it asks that for a password.
    ["bouncer config error", "log of PgBouncer"],
    [cached("connect failed"), "does not reach the database"],
    [cached("the database system is starting up"), "does not reach the database"],
    ["client_login_timeout (server down)", "does not reach the database"],
    ["pgbouncer cannot connect to server", "does not reach the database"],
  ])("%s: it is told what it means", (message, meaning) => {
    expect(isLasting(said(message))).toBe(false);
    expect(connectProblem(said(message))).toContain(meaning);
    expect(queryProblem(said(message))).toContain(meaning);
  });

  it.each(["pooler is shutting down", "server shutting down", "pause failed", "out of memory"])(
    "%s: its own words are enough",
    (message) => {
      expect(isLasting(said(message))).toBe(false);
      expect(connectProblem(said(message))).toBe(message);
    },
  );

  it("is not what another server says in such words, by another code", () => {
    const other = Object.assign(new Error("no such user"), { code: "57P03", severity: "FATAL" });
    expect(isLasting(other)).toBe(false);
    expect(connectProblem(other)).toBe("no such user");
  });
});
