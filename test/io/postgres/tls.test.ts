/** Tests src/io/postgres: TLS to a real PostgreSQL, which refuses who comes in the clear. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { makeHome, runArguments, runCli, startDaemon } from "../../acceptance/daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "../../acceptance/quick.ts";
import { FIXTURES } from "../tls-front.ts";
import { connect, usePostgres } from "./fixture.ts";

const server = usePostgres({ certificate: "server" });
const ofOtherName = usePostgres({ certificate: "other-name" });
const withoutTls = usePostgres();

const file = (name: string): string => join(FIXTURES, `${name}.pem`);
const CA = `sslrootcert=${file("ca")}`;
const OTHER_CA = `sslrootcert=${file("other-ca")}`;

/** If a database says that the connection is encrypted, or why there is none. */
async function ask(
  context: TestContext,
  to: ReturnType<typeof usePostgres>,
  query: string,
): Promise<unknown> {
  const database = await connect(context, `${await to().makeDatabase()}?${query}`);
  const asked = await database.transaction(
    async (sql) => await sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"),
  );
  return asked.ok ? asked.value[0]?.["ssl"] : asked.problem.detail;
}

describe("a database with an authority of its own", () => {
  it("is spoken to by TLS if sslrootcert names the authority", async (context) => {
    for (const mode of ["sslmode=verify-full&", "sslmode=require&", "sslmode=verify-ca&", ""])
      expect(await ask(context, server, `${mode}${CA}`), mode).toBe(true);
  });

  it("is refused under another authority, or none, in every mode", async (context) => {
    for (const mode of ["verify-full", "require", "verify-ca"])
      expect(await ask(context, server, `sslmode=${mode}&${OTHER_CA}`), mode).toMatch(
        /^TLS is not trusted \(\w+\): the CA that signed.* is not known; sslrootcert$/,
      );
    for (const mode of ["verify-full", "require"])
      expect(await ask(context, server, `sslmode=${mode}`), mode).toContain("TLS is not trusted");
  });

  it("is refused under another name than its own, but with verify-ca", async (context) => {
    expect(await ask(context, ofOtherName, `sslmode=verify-full&${CA}`)).toMatch(
      /ERR_TLS_CERT_ALTNAME_INVALID.*another host than the certificate, which is for DNS:other.example/,
    );
    expect(await ask(context, ofOtherName, `sslmode=verify-ca&${CA}`)).toBe(true);
  });
});

describe("TLS that one side demands", () => {
  it("is never left out: a database without it is refused", async (context) => {
    expect(await ask(context, withoutTls, `sslmode=verify-full&${CA}`)).toMatch(
      /does not support SSL.*ssl = on.*sslmode=disable/,
    );
    expect(await ask(context, withoutTls, "sslmode=disable")).toBe(false);
  });

  it("is asked for in so many words, if the URL says nothing of it", async (context) => {
    for (const query of ["", "sslmode=disable"])
      expect(await ask(context, server, query)).toMatch(
        /no encryption: if it takes only connections with TLS, say sslmode=verify-full/,
      );
  });
});

describe("what answers in the place of a database", () => {
  it("is said to be no database, if it takes TLS and speaks something else", async (context) => {
    const other = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write("S");
        socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      });
    });
    context.onTestFinished(() => void other.close());
    await once(other.listen(0, "127.0.0.1"), "listening");
    const { port } = other.address() as AddressInfo;
    const url = `postgres://aggwatch@127.0.0.1:${port}/none?sslmode=verify-full&${CA}`;
    const asked = await (await connect(context, url)).transaction(async (sql) => await sql(""));
    expect(asked).toMatchObject({
      problem: {
        detail: expect.stringMatching(
          /^what answers does not speak TLS \(\w+\): is it PostgreSQL\?$/,
        ),
      },
    });
  });
});

describe("a replica", () => {
  const config = quickConfig({ url: "http://127.0.0.1:9", mode: "shadow" });

  it("does not start on a database that it does not trust, and says what to change", async (context) => {
    const url = `${await server().makeDatabase()}?sslmode=verify-full&${OTHER_CA}`;
    const args = runArguments(makeHome(context, config, QUICK_RULES));
    const ended = await runCli(context, args, { ...ACT_KEY, AGGWATCH_DATABASE_URL: url });
    expect(ended.code).toBe(1);
    expect(ended.err + ended.out).toMatch(/TLS is not trusted.*sslrootcert/);
  });

  it("works by TLS", async (context) => {
    const url = `${await server().makeDatabase()}?sslmode=verify-full&${CA}`;
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, { ...ACT_KEY, AGGWATCH_DATABASE_URL: url });
    await daemon.line(({ msg }) => msg === "acting");
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
