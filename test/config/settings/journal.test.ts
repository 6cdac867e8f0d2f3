import { describe, expect, it } from "vitest";
import { fail, succeed } from "../../../src/domain/result.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { leaseCheck } from "../../../src/config/settings/journal.ts";
import { secret } from "../../../src/config/settings/secret.ts";
import {
  restartCheck,
  secretsOf,
  settingChanges,
} from "../../../src/config/settings/setting-entries.ts";
import { loadSettings } from "../../../src/config/settings/settings.ts";
import { entriesText } from "../../../src/config/settings/setting-entries.ts";

const URL_TEXT = "postgres://me:p%40ss@db.example/aggwatch?sslmode=verify-full";

function load(lines: readonly string[], env: Record<string, string> = {}, content = URL_TEXT) {
  const text = lines.join("\n");
  return loadSettings({
    ...(text === "" ? {} : { file: { name: "aggwatch.yaml", text } }),
    env,
    flags: { "base-url": "http://127.0.0.1:1" },
    readText: (path) => (path.endsWith("db-url") ? succeed(`${content}\n`) : fail("not there")),
  });
}

function journalOf(loaded: ReturnType<typeof load>) {
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem));
  const { postgres } = loaded.value.journal;
  return postgres && { ...postgres, url: postgres.url.reveal() };
}

describe("journal.postgres", () => {
  const defaults = {
    url: URL_TEXT,
    urlFile: undefined,
    replica: undefined,
    leaseMs: 15 * SECOND,
  };
  const ofFile = { ...defaults, urlFile: expect.stringMatching(/db-url$/) as string };

  it("is off unless it is given: the journal is a file", () => {
    expect(journalOf(load([]))).toBeUndefined();
  });

  it("reads its URL from a file, from a variable, or from the variable of platforms", () => {
    expect(journalOf(load(["journal: { postgres: { url_file: db-url } }"]))).toEqual(ofFile);
    const named = load(["journal: { postgres: { url_env: DB } }"], { DB: URL_TEXT });
    expect(journalOf(named)).toEqual(defaults);
    expect(journalOf(load([], { AGGWATCH_DATABASE_URL: URL_TEXT }))).toEqual(defaults);
    const beside = load(["journal: { postgres: { replica: a, lease: 20s } }"], {
      AGGWATCH_DATABASE_URL: URL_TEXT,
    });
    expect(journalOf(beside)).toEqual({ ...defaults, replica: "a", leaseMs: 20 * SECOND });
  });

  it("goes by what the config says, if the variable says something else", () => {
    const env = { AGGWATCH_DATABASE_URL: "postgres://other.example/x" };
    expect(journalOf(load(["journal: { postgres: { url_file: db-url } }"], env))).toEqual(ofFile);
  });

  it.each([
    ["{ replica: a }", "a secret is missing: set url_file or url_env"],
    ["{ url_file: missing }", "the secret file missing cannot be read"],
    ["{ url_file: db-url, url_env: X }", "set one of url_file and url_env, not both"],
    ["{ url: 'postgres://h/d' }", "so it is a secret; use url_file or url_env"],
    ["{ url_file: db-url, lease: 1s }", '"lease" must be between 3s and 5m'],
    ["{ url_file: db-url, lease: 6m }", '"lease" must be between 3s and 5m'],
    ["{ url_file: db-url, replica: 'a b' }", "must be of letters, digits"],
    ["{ url_file: db-url, leese: 6m }", 'unknown key "leese"'],
  ])("refuses %s, with its place", (text, message) => {
    const loaded = load([`journal: { postgres: ${text} }`]);
    if (loaded.ok) throw new Error("it has no problem");
    const [problem] = loaded.problem;
    expect(problem?.message).toContain(message);
    expect(problem).toMatchObject({ file: "aggwatch.yaml", line: 1 });
  });

  it("refuses what is not a URL of PostgreSQL, and does not repeat it", () => {
    for (const content of [
      "mysql://hidden@h/d",
      "host=h password=hidden",
      "postgres://a:hidden c@h/d",
    ]) {
      const loaded = load(["journal: { postgres: { url_file: db-url } }"], {}, content);
      if (loaded.ok) throw new Error("it has no problem");
      expect(JSON.stringify(loaded.problem)).toContain("postgres://USER:PASSWORD@HOST/DATABASE");
      expect(JSON.stringify(loaded.problem)).not.toContain("hidden");
    }
  });

  it.each([
    ["h1,h2:5432/d", "the URL names several hosts"],
    ["h1:5432,h2:5432/d", "the URL names several hosts"],
    ["h/d?host=h1,h2", "the URL names several hosts"],
    [
      "h1,h2/d?target_session_attrs=primary",
      "the URL names several hosts, and target_session_attrs does not choose among them",
    ],
  ])("refuses a URL that leaves it to the driver which host is the primary: %s", (at, what) => {
    const content = `postgres://me:hid,den@${at}`;
    const loaded = load(["journal: { postgres: { url_file: db-url } }"], {}, content);
    if (loaded.ok) throw new Error("it has no problem");
    const one = "give one host: a pooler, a virtual IP or a DNS name of the primary";
    expect(loaded.problem.map(({ id, message }) => [id, message])).toEqual([
      ["config/bad-value", `${what}: ${one}`],
    ]);
  });

  it.each(["hid,den@h/d", "hidden@h/d?target_session_attrs=read-write"])(
    "takes a comma in a password, and target_session_attrs beside one host: %s",
    (rest) => {
      const content = `postgres://me:${rest}`;
      expect(load(["journal: { postgres: { url_file: db-url } }"], {}, content).ok).toBe(true);
    },
  );

  it.each([
    ["sslmode=prefer", "may silently go on without TLS: write verify-full, or disable"],
    ["sslmode=verify_full", "is not one of disable, require, verify-ca, verify-full"],
    ["sslMode=verify-full", "sslMode in the URL is not known: TLS is set with sslmode"],
    ["sslmode=verify-full&ssl=0", "ssl in the URL is not known: TLS is set with sslmode"],
    ["ssl=no-verify", "ssl in the URL is not known: TLS is set with sslmode"],
    ["sslmode=verify-full&sslcrl=revoked.pem", "sslcrl in the URL is not known"],
    ["sslmode=disable&sslmode=verify-full", "sslmode is in the URL more than once"],
    ["sslmode=verify-ca", "needs sslrootcert=FILE"],
    ["sslcert=db-url", "it needs both, or neither"],
    ["sslrootcert=missing.pem", "sslrootcert in the URL, missing.pem, cannot be read: not there"],
    ["sslrootcert=db-url", "sslrootcert in the URL, db-url, is not a PEM file"],
  ])("refuses a URL with %s, with its place, and does not repeat it", (query, message) => {
    const content = `postgres://me:hidden@h/d?${query}`;
    const loaded = load(["journal: { postgres: { url_file: db-url } }"], {}, content);
    if (loaded.ok) throw new Error("it has no problem");
    expect(loaded.problem).toMatchObject([
      { message: expect.stringContaining(message), file: "aggwatch.yaml", line: 1 },
    ]);
    expect(JSON.stringify(loaded.problem)).not.toContain("hidden");
  });

  it("tells all that is wrong with TLS in a URL, and nothing that follows from another problem", () => {
    const query =
      "sslmode=allow&ssl=0&tls=1&sslcert=db-url&sslrootcert=missing.pem&sslrootcert=db-url";
    const loaded = load(
      ["journal: { postgres: { url_file: db-url } }"],
      {},
      `postgres://me@h/d?${query}`,
    );
    if (loaded.ok) throw new Error("it has no problem");
    expect(loaded.problem.map(({ message }) => message)).toEqual([
      expect.stringContaining("ssl in the URL is not known"),
      expect.stringContaining("tls in the URL is not known"),
      expect.stringContaining("sslrootcert is in the URL more than once"),
      expect.stringContaining("sslmode=allow in the URL may silently go on without TLS"),
      expect.stringContaining("it needs both, or neither"),
    ]);
  });

  describe("whose URL has a password and no TLS", () => {
    const config = ["journal:", "  postgres: { url_file: db-url }"];
    const warningsOf = (loaded: ReturnType<typeof load>) => {
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem));
      return loaded.value.warnings;
    };

    it("is warned of, with its place, and does not repeat it", () => {
      const found = warningsOf(load(config, {}, "postgres://me:hidden@db.example/d"));
      expect(found).toMatchObject([
        {
          severity: "warning",
          id: "lint/secret-in-clear",
          file: "aggwatch.yaml",
          line: 2,
          column: 25,
          message:
            'the URL in "journal.postgres.url_file" has a password and no TLS, so all goes to the database in the clear',
          hint: expect.stringContaining("sslmode=verify-full") as string,
        },
      ]);
      expect(JSON.stringify(found)).not.toContain("hidden");
    });

    it("is warned of where a variable has the URL", () => {
      const env = { AGGWATCH_DATABASE_URL: "postgres://me:hidden@db.example/d" };
      expect(warningsOf(load([], env))).toMatchObject([
        { id: "lint/secret-in-clear", file: "AGGWATCH_DATABASE_URL", line: 0 },
      ]);
    });

    it.each([
      "postgres://me:hidden@db.example/d?sslmode=disable",
      "postgres://me:hidden@10.0.0.7:5432/d",
      "postgres://me@db.example/d?password=hidden",
      "postgres://me:hidden@localhost/d?host=db.example",
      "postgres://me:hidden@[fd00::7]/d",
      "postgres://me:hidden@%zz.example/d",
    ])("is warned of as %s", (content) => {
      expect(warningsOf(load(config, {}, content))).toHaveLength(1);
    });

    it.each([
      "postgres://me:hidden@db.example/d?sslmode=verify-full",
      "postgres://me:hidden@db.example/d?sslmode=require",
      "postgres://me@db.example/d",
      "postgres://me:hidden@database/d",
      "postgres://me:hidden@LOCALHOST/d",
      "postgres://me:hidden@127.0.0.1:5432/d",
      "postgres://me:hidden@[::1]/d",
      "postgres://me:hidden@postgres.data.svc.cluster.local/d",
      "postgres://me:hidden@Postgres.Data.SVC/d",
      "postgres://me:hidden@%2Fvar%2Frun%2Fpostgresql/d",
      "postgres://me:hidden@h.example/d?host=/var/run/postgresql",
      "postgres://me:hidden@h.example/d?host=::1",
    ])("is not warned of as %s", (content) => {
      expect(warningsOf(load(config, {}, content))).toEqual([]);
    });
  });

  it("cannot change while it runs, not even in its file, and is never shown", () => {
    const config = ["journal: { postgres: { url_file: db-url } }"];
    const [one, other] = [load(config), load(config, {}, "postgres://me:secret@other.example/d")];
    if (!one.ok || !other.ok) throw new Error("a problem");
    const refused = restartCheck(one.value)(other.value);
    expect(refused).toMatchObject([{ id: "config/needs-restart" }]);
    expect(JSON.stringify(refused) + entriesText(other.value.entries)).not.toContain("example");
  });

  it("cannot be read from another file while it runs, though that names the same database", () => {
    const [one, other] = ["db-url", "other-db-url"].map((name) =>
      load([`journal: { postgres: { url_file: ${name} } }`]),
    );
    if (one?.ok !== true || other?.ok !== true) throw new Error("a problem");
    expect(restartCheck(one.value)(other.value)).toMatchObject([
      { id: "config/needs-restart", path: ["journal", "postgres", "url_file"] },
    ]);
  });

  it("takes another user and password in its file while it runs, and shows neither", () => {
    const config = ["journal: { postgres: { url_file: db-url } }"];
    const rotated = URL_TEXT.replace("me:p%40ss", "you:n3w%40ss");
    const [one, other] = [load(config), load(config, {}, rotated)];
    if (!one.ok || !other.ok) throw new Error("a problem");
    expect(restartCheck(one.value)(other.value)).toEqual([]);
    const changes = settingChanges(one.value, other.value);
    expect(changes.map(({ key }) => key)).toEqual(["journal.postgres.credentials"]);
    expect(JSON.stringify(changes)).not.toContain("n3w");
    expect(secretsOf(other.value)).toContain("you:n3w%40ss");
  });

  it("is refused if no request could end within what is left of its lease", () => {
    const of = (leaseMs: number, requestMs: number) =>
      leaseCheck({
        journal: {
          postgres: { url: secret(URL_TEXT), urlFile: undefined, replica: undefined, leaseMs },
        },
        aggregators: [{ timeouts: { requestMs } }],
      });
    expect(of(15 * SECOND, 10 * SECOND)).toEqual([]);
    expect(of(3 * SECOND, 2 * SECOND)).toEqual([]);
    expect(of(10 * SECOND, 10 * SECOND)).toMatchObject([
      { path: ["journal", "postgres", "lease"], message: expect.stringContaining("7s500ms") },
    ]);
    expect(leaseCheck({ journal: { postgres: undefined }, aggregators: [] })).toEqual([]);
  });
});
