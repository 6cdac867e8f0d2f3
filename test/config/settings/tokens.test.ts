import { describe, expect, it } from "vitest";
import { entriesText } from "../../../src/config/settings/setting-entries.ts";
import { restartCheck, settingChanges } from "../../../src/config/settings/setting-entries.ts";
import {
  allows,
  readTokens,
  revokedHolders,
  SCOPES,
  type Scope,
} from "../../../src/config/settings/tokens.ts";
import { renderProblems } from "../../../src/config/problem.ts";
import { placesOf, problemsOf, settingsOf } from "./settings-text.ts";

const HASH = "a".repeat(64);
const OTHER = "B".repeat(64);

function placesIn(text: string): string[] {
  const read = readTokens("tokens.yaml", text);
  if (read.ok) return [];
  return read.problem.map(({ line, column, id }) => `${line}:${column} ${id}`);
}

describe("a tokens file", () => {
  it("names holders, what their tokens hash to, and what these allow", () => {
    const text = `- { name: alice, token_sha256: ${HASH}, scopes: [operate, approve] }
- { name: bob, token_sha256: ${OTHER}, scopes: [read] }`;
    expect(readTokens("tokens.yaml", text)).toEqual({
      ok: true,
      value: [
        { name: "alice", sha256: HASH, scopes: ["operate", "approve"] },
        { name: "bob", sha256: OTHER.toLowerCase(), scopes: ["read"] },
      ],
    });
    expect(readTokens("tokens.yaml", "[]")).toEqual({ ok: true, value: [] });
  });

  it.each([
    ["no list", "name: alice", ["1:1 tokens/bad-value"]],
    ["an empty file", "", ["1:1 tokens/bad-value"]],
    [
      "a token itself",
      `- { name: alice, token: hunter2hunter2, scopes: [read] }`,
      ["1:18 tokens/secret-in-config", "1:3 tokens/missing"],
    ],
    [
      "a hash that is none",
      `- name: alice\n  token_sha256: hunter2\n  scopes: [read]`,
      ["2:17 tokens/bad-value"],
    ],
    [
      "a hash with more than its digits",
      `- name: alice\n  token_sha256: a${HASH}\n  scopes: [read]`,
      ["2:17 tokens/bad-value"],
    ],
    [
      "an unknown scope",
      `- name: alice\n  token_sha256: ${HASH}\n  scopes: [admin]`,
      ["3:12 tokens/bad-value"],
    ],
    ["no scope", `- name: alice\n  token_sha256: ${HASH}\n  scopes: []`, ["3:11 tokens/bad-value"]],
    [
      "the same name and the same token twice",
      `- { name: a, token_sha256: ${HASH}, scopes: [read] }\n- { name: a, token_sha256: ${HASH.toUpperCase()}, scopes: [read] }`,
      ["2:11 tokens/duplicate", "2:28 tokens/duplicate"],
    ],
    ["what is not YAML", "- {", ["1:3 yaml/syntax"]],
  ])("is refused with %s", (_what, text, places) => {
    expect(placesIn(text).toSorted()).toEqual(places);
  });

  it("says what occurs twice: a name, or a token without showing it", () => {
    const read = readTokens(
      "tokens.yaml",
      `[{ name: a, token_sha256: ${HASH}, scopes: [read] }, { name: a, token_sha256: ${HASH}, scopes: [read] }]`,
    );
    expect(read.ok ? [] : read.problem.map(({ message }) => message)).toEqual([
      'the name "a" occurs twice',
      "the token occurs twice",
    ]);
  });

  it("is never shown, not even if it is wrong", () => {
    const read = readTokens("tokens.yaml", "- { name: a, token_sha256: hunter2, scopes: [x] }");
    expect(read.ok ? "" : renderProblems(read.problem)).not.toContain("hunter2");
  });
});

const BASE = "aggregators: [{ base_url: http://a.example/one }]\n";

describe("server.tokens_file", () => {
  it("is read from beside the config, and none means that writing calls are off", () => {
    const files = { "etc/tokens.yaml": `- { name: a, token_sha256: ${HASH}, scopes: [read] }` };
    const text = `${BASE}server: { tokens_file: tokens.yaml }`;
    expect(settingsOf({ text, files }).server).toMatchObject({
      tokensFile: "etc/tokens.yaml",
      tokens: [{ name: "a", sha256: HASH, scopes: ["read"] }],
    });
    for (const none of ["", "server: {}", "server: { tokens_file: null }"]) {
      expect(settingsOf({ text: BASE + none }).server.tokens, none).toBeUndefined();
    }
  });

  it("is a problem if it cannot be read, and its own problems have its name", () => {
    const text = `${BASE}server: { tokens_file: tokens.yaml }`;
    expect(placesOf({ text })).toEqual(["2:24 config/secret"]);
    const files = { "etc/tokens.yaml": "- { name: a }" };
    expect(problemsOf({ text, files }).map(({ file }) => file)).toEqual([
      "etc/tokens.yaml",
      "etc/tokens.yaml",
    ]);
  });
});

describe("the settings that changed", () => {
  const changesOf = (before: string, after: string, files = {}) =>
    settingChanges(settingsOf({ text: before, files }), settingsOf({ text: after, files }));

  it("are told in the config's own keys", () => {
    expect(changesOf(BASE, `${BASE}log: { level: debug }`)).toEqual([
      { key: "log.level", before: "info", after: "debug" },
    ]);
    const own = (more: string) => `aggregators: [{ base_url: http://a.example/one, ${more} }]`;
    const schedules = own('schedules: { pools: "off", swaps: "0 * * * * *" }');
    expect(changesOf(BASE, schedules)).toEqual([
      { key: "aggregators.one.schedules.pools", before: "*/30 * * * * *", after: "(none)" },
      { key: "aggregators.one.schedules.swaps", before: "*/30 * * * * *", after: "0 * * * * *" },
    ]);
    expect(changesOf(BASE, own('watch: { senders: [{ address: "0x1", alias: desk }] }'))).toEqual([
      {
        key: "aggregators.one.watch.senders",
        before: "(none)",
        after: "{ address: 0x1, alias: desk }",
      },
    ]);
    expect(changesOf(BASE, own("wire: { exchanges: { path: /x } }"))).toMatchObject([
      { key: "aggregators.one.wire.exchanges.path", before: "(none)" },
    ]);
  });

  it("leave out what has no value before or after", () => {
    const two = "{ name: two, base_url: http://b.example/two }";
    const added = changesOf(BASE, BASE.replace("]", `, ${two}]`));
    expect(added).toContainEqual({
      key: "aggregators.two.watch.history_limit",
      before: "(none)",
      after: "10",
    });
    expect(added.filter(({ before, after }) => before === after)).toEqual([]);
  });

  it("show that a secret changed, and not the secret", () => {
    const auth = (file: string) =>
      `aggregators: [{ base_url: http://a.example/one, auth: { act: { type: bearer, value_file: ${file} } } }]`;
    const files = { "etc/one": "hunter1", "etc/two": "hunter2" };
    const changes = changesOf(auth("one"), auth("two"), files);
    expect(changes).toEqual([
      {
        key: "aggregators.one.auth.act.value_file",
        before: "etc/one",
        after: "etc/two",
      },
      {
        key: "aggregators.one.auth.act.value",
        before: "[redacted]",
        after: "[redacted]",
      },
    ]);
    expect(changesOf(auth("one"), auth("one"), files)).toEqual([]);
    expect(entriesText(settingsOf({ text: auth("one"), files }).entries)).not.toContain("hunter");
  });

  it("are refused if they cannot change while it runs, with all places", () => {
    const inForce = settingsOf({ text: `${BASE}listen: 127.0.0.1:1` });
    const checks = [restartCheck(inForce)];
    const text = `${BASE}listen: 127.0.0.1:2
log: { format: json, level: debug }
actions: { kill_file: K }`;
    const problems = problemsOf({ text, checks });
    expect(problems.map(({ id, path, line }) => `${line} ${path} ${id}`)).toEqual([
      "2 listen config/needs-restart",
      "3 log.format config/needs-restart",
      "4 actions.kill_file config/needs-restart",
    ]);
    expect(problems[0]?.message).toBe(
      '"listen" cannot change while aggwatch runs: it is 127.0.0.1:1, and would be 127.0.0.1:2',
    );
    const allowed = `${BASE}listen: 127.0.0.1:1\nlog: { level: debug }\nrules: elsewhere`;
    expect(problemsOf({ text: allowed, checks })).toEqual([]);
  });

  it("are refused together with what is wrong, and not if they are what is wrong", () => {
    const env = { DATABASE: "postgres://a@a.example/a" };
    const database = "journal: { postgres: { url_env: DATABASE } }\n";
    const inForce = settingsOf({ text: `${BASE}${database}data: d\nlisten: 127.0.0.1:1`, env });
    const text = `${BASE}${database}data: 5\nlisten: 127.0.0.1:2\nlog: { level: 5 }`;
    expect(placesOf({ text, checks: [restartCheck(inForce)] })).toEqual([
      "2:33 config/secret",
      "3:7 config/bad-value",
      "4:9 config/needs-restart",
      "5:15 config/bad-value",
    ]);
  });
});

it.each(SCOPES)("the scope %s allows itself alone, but operating includes holding", (scope) => {
  const allowed = SCOPES.filter((needed) => allows([scope], needed));
  expect(allowed).toEqual(scope === "operate" ? ["hold", "operate"] : [scope]);
});

describe("revokedHolders", () => {
  const token = (name: string, sha256: string, ...scopes: readonly Scope[]) => ({
    name,
    sha256,
    scopes,
  });
  const alice = token("alice", HASH, "operate", "read");

  it.each([
    ["the same", [alice], []],
    ["another name and order", [token("a", HASH, "read", "operate")], []],
    ["more scopes", [token("alice", HASH, "operate", "read", "approve")], []],
    ["fewer scopes", [token("alice", HASH, "read", "hold")], ["alice"]],
    ["another token", [token("alice", OTHER, "operate", "read")], ["alice"]],
    ["none", [], ["alice"]],
  ])("names who may do less by %s", (_, after, revoked) => {
    expect(revokedHolders([alice], after)).toEqual(revoked);
  });

  it("takes holding as a part of operating", () => {
    const bob = token("bob", HASH, "hold");
    expect(revokedHolders([bob], [token("bob", HASH, "operate")])).toEqual([]);
  });
});
