import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { describe, expect, it } from "vitest";
import { PASSPHRASE, pem } from "../../io/tls-front.ts";
import { findDirectory } from "../../../src/config/settings/settings.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { load, placesOf, problemsOf, settingsOf } from "./settings-text.ts";

const URL = "https://aggregator.example/bsc-mainnet/backend";
const ONE = `aggregators:\n  - base_url: ${URL}\n`;

describe("loadSettings", () => {
  it("needs a base URL alone, and is then in shadow mode", () => {
    const settings = settingsOf({ env: { AGGWATCH_BASE_URL: `${URL}/` } });
    expect(settings).toMatchObject({
      listen: { host: "127.0.0.1", port: 9733 },
      data: "./data",
      rules: "./rules",
      log: { level: "info", format: "auto" },
      actions: {
        mode: "shadow",
        budget: { max: 20, perMs: HOUR },
        budgets: {},
        settleAfterStartMs: 30 * SECOND,
        maxAgeMs: MINUTE,
        confirmWithinMs: 15 * SECOND,
        approvalExpiresAfterMs: 30 * MINUTE,
        killFile: "data/KILL",
      },
    });
    expect(settings.aggregators).toHaveLength(1);
    expect(settings.aggregators[0]).toMatchObject({
      name: "bsc-mainnet",
      baseUrl: URL,
      auth: { read: { type: "none" }, act: { type: "none" } },
      rate: { requestsPerSecond: 50, concurrency: 16 },
      timeouts: { requestMs: 10 * SECOND },
      maxBodyBytes: 5 * 1024 * 1024,
      retries: 2,
      watch: { senders: [], liquidations: [], pools: [] },
      wire: {},
    });
    expect(settings.aggregators[0]?.pollers).toEqual([
      { name: "exchanges", schedule: "*/10 * * * * *", intervalMs: 10_000, staleAfterMs: 30_000 },
      {
        name: "liquidations",
        schedule: "*/15 * * * * *",
        intervalMs: 15_000,
        staleAfterMs: 45_000,
      },
      { name: "pools", schedule: "*/30 * * * * *", intervalMs: 30_000, staleAfterMs: 90_000 },
      { name: "swaps", schedule: "*/30 * * * * *", intervalMs: 30_000, staleAfterMs: 90_000 },
      {
        name: "swap_history",
        schedule: "0 * * * * *",
        intervalMs: MINUTE,
        staleAfterMs: 3 * MINUTE,
      },
      { name: "orders", schedule: "*/15 * * * * *", intervalMs: 15_000, staleAfterMs: 45_000 },
    ]);
  });

  it.each([
    [undefined, "configuration config/no-aggregator"],
    ["", "1:1 config/no-aggregator"],
    ["aggregators: []", "1:1 config/no-aggregator"],
    ["aggregators: [{}]", "1:15 config/missing"],
    ["just text", "1:1 config/bad-value"],
    ["- a list", "1:1 config/bad-value"],
  ])("says what to set where there is no aggregator: %j", (text, place) => {
    expect(placesOf(text === undefined ? {} : { text })).toEqual([place]);
  });

  it("loads the examples of the docs", () => {
    const docs = readFileSync(join(import.meta.dirname, "../../../docs/configuration.md"), "utf8");
    const examples = [...docs.matchAll(/```yaml\n([^`]+)```/g)].map(([, text = ""]) => text);
    expect(examples).toHaveLength(4);
    const env = { AGGREGATOR_READ_PASSWORD: "pass" };
    const url = "https://hooks.example/secret\n";
    const files = {
      "/run/secrets/aggregator-act": "key\n",
      "/run/secrets/bsc-act": "key of one\n",
      "/run/secrets/eth-act": "key of the other\n",
      "/run/secrets/slack": url,
      "/run/secrets/ntfy": url,
      "/run/secrets/pagerduty": "routing-key\n",
      "/run/secrets/hook": url,
      "/run/secrets/proxy": "password of the proxy\n",
      "/run/secrets/passphrase": PASSPHRASE,
      "/run/secrets/aggwatch-key": pem("client-key-encrypted"),
      "/etc/aggwatch/tls/client.pem": pem("client"),
      "/etc/aggwatch/tls/ca.pem": pem("ca"),
    };
    for (const text of examples) expect(load({ text, env, files })).toMatchObject({ ok: true });
    const full = settingsOf({ text: examples.at(-1) ?? "", env, files });
    expect(full.aggregators.map(({ name }) => name)).toEqual(["bsc-mainnet", "eth-mainnet"]);
    expect(
      full.aggregators[0]?.pollers.map(({ name, staleAfterMs }) => [name, staleAfterMs]),
    ).toEqual([
      ["exchanges", 2 * MINUTE],
      ["liquidations", 2 * MINUTE],
      ["pools", 2 * MINUTE],
      ["swap_history", 2 * MINUTE],
      ["orders", 2 * MINUTE],
    ]);
    expect(full.aggregators[0]?.watch).toEqual({
      ...NOTHING_WATCHED,
      senders: [{ address: "0x8a6c2f1e0d4b7a9358c1f2e3d4a5b6c7d8e9f001", alias: "desk-a" }],
      liquidations: [{ id: expect.stringMatching(/^0x5f0/) as string }],
      pools: [
        { factory: "OrionV2", pair: "ORN-USDT" },
        { factory: "OrionV2", pair: "BNB-ORN" },
      ],
    });
    expect(full.actions.budgets).toEqual({ force_cancel_order: { max: 3, perMs: HOUR } });
  });

  it.each([
    ["http://localhost:8080", "localhost-8080"],
    ["http://[::1]:8080/api/v1", "1-8080"],
    ["https://x.example/Eth_Mainnet/backend/", "eth_mainnet"],
  ])("derives a name from %s", (url, name) => {
    expect(settingsOf({ env: { AGGWATCH_BASE_URL: url } }).aggregators[0]?.name).toBe(name);
  });

  it("starts a path of the file at the file, and any other at the working directory", () => {
    const text = `${ONE}data: ../data\nrules: /etc/rules\n`;
    expect(settingsOf({ text })).toMatchObject({
      data: "data",
      rules: "/etc/rules",
      actions: { killFile: "data/KILL" },
    });
    expect(settingsOf({ text, flags: { data: "here" } }).data).toBe("here");
    expect(settingsOf({ text: `${ONE}rules: r` }).rules).toBe("etc/r");
    expect(settingsOf({ text: ONE }).rules).toBe("./rules");
  });

  it("lets a flag win over a variable, a variable over the file, and the file over the default", () => {
    const text = `${ONE}log: { level: warn }\n`;
    const env = { AGGWATCH_LOG_LEVEL: "debug" };
    expect(settingsOf({ text: ONE }).log.level).toBe("info");
    expect(settingsOf({ text }).log.level).toBe("warn");
    expect(settingsOf({ text, env }).log.level).toBe("debug");
    expect(settingsOf({ text, env, flags: { "log-level": "error" } }).log.level).toBe("error");
  });

  it("requests orders by status in the order in which they move, whatever the order in the list", () => {
    const spot = (line: string) =>
      settingsOf({ text: `${ONE}${line}\n` }).aggregators[0]?.watch.orderStatuses.spot;
    const watch = "    watch: { order_statuses: { spot: [FAILED, odd, FILLED, accepted, NEW] } }";
    expect(spot(watch)).toEqual(["NEW", "accepted", "FILLED", "FAILED", "odd"]);
    const own = "    statuses: { open: [odd, FILLED, NEW], cancelable: [ACCEPTED] }";
    expect(spot(`${watch}\n${own}`)).toEqual(["odd", "FILLED", "NEW", "accepted", "FAILED"]);
  });

  it.each([
    ["listen: 9733", "3:9 config/bad-value"],
    ["listen: localhost:99999", "3:9 config/bad-value"],
    ['listen: "[1::2::3]:9733"', "3:9 config/bad-value"],
    ["listen: 127.0.0.256:9733", "3:9 config/bad-value"],
    ["lisen: x", "3:1 config/unknown-key"],
    ["notify: { slack: [{ url: x }] }", "3:21 config/secret-in-config"],
    ["actions: { mode: acts }", "3:18 config/bad-value"],
    ["stuck_after: 1s", "3:14 config/bad-value"],
    ["    watch: { http: [{ url: 'http://127.0.0.1/x', every: 5ms }] }", "3:57 config/bad-value"],
    ["    schedules: { pools: }", "3:25 config/bad-value"],
    ["actions: { budget: { max: -1 } }", "3:27 config/bad-value"],
    ["actions: { budgets: { reboot: { max: 1, per: 1h } } }", "3:23 config/unknown-key"],
    ["actions: { max_age: 0s }", "3:21 config/bad-value"],
    ["log: debug", "3:6 config/bad-value"],
    ["log: { level: info }\nlog: {}", "4:1 yaml/duplicate-key"],
    ["    base_url: again", "3:5 yaml/duplicate-key"],
    ["    name: BSC", "3:11 config/bad-value"],
    ["    timeout: 10 seconds", "3:14 config/bad-value"],
    ["    max_body_bytes: 5MB", "3:21 config/bad-value"],
    ["    rate: { requests_per_second: 0 }", "3:34 config/bad-value"],
    ["    schedules: { pools: '99 * * * * *' }", "3:25 config/bad-value"],
    ["    schedules: { pools: '* * * *' }", "3:25 config/bad-value"],
    ["    schedules: { order: '* * * * * *' }", "3:18 config/unknown-key"],
    ["    watch: { senders: [a, b, a] }", "3:30 config/duplicate"],
    ["    watch: { senders: [{ address: a, alias: b }, b] }", "3:50 config/duplicate"],
    ["    watch: { pools: [OrionV2] }", "3:22 config/bad-value"],
    ["    watch: { senders: [a, '0x8a12…4f3c'] }", "3:27 config/bad-value"],
    ["    watch: { senders: [{ address: a b, alias: c }] }", "3:24 config/bad-value"],
    ["    watch: { orders: [a/b/c] }", "3:23 config/bad-value"],
    ["    watch: { orders: [futures/123] }", "3:23 config/bad-value"],
    ["    watch: { orders: [{ id: '1', owner: a/b }] }", "3:41 config/bad-value"],
    ["    watch: { files: [a] }", "3:22 config/bad-value"],
    ["    watch: { files: ['w*/a.yaml'] }", "3:22 config/bad-value"],
    ["    watch: { http: ['ftp://a/b'] }", "3:21 config/bad-value"],
    ["    watch: { http: ['http://me:pass@a/b'] }", "3:21 config/bad-value"],
    ["    watch: { http: ['http://a/b', 'http://a/c'] }", "3:35 config/duplicate"],
    ["    statuses: { final: [NEW] }", "3:25 config/contradiction"],
    ["    statuses: { final: [new] }", "3:25 config/contradiction"],
    ["    swap_statuses: { settled: [DONE, active] }", "3:38 config/contradiction"],
    ["    swap_statuses: { expired: [settled] }", "3:32 config/contradiction"],
    ["    stale_after: 30s", "3:18 config/contradiction"],
    ["    api_prefix: '/a//b'", "3:17 config/bad-value"],
    ["    api_prefix: '/a?b'", "3:17 config/bad-value"],
    ["    api_prefix: '/{exchange}'", "3:17 config/bad-value"],
    ["    api_prefix: /exchange/Toggle", "3:17 config/bad-value"],
    ["    instants: nanoseconds", "3:15 config/bad-value"],
    ["    wire: { disabeld: {} }", "3:13 config/unknown-key"],
    ["    wire: { disabled: { map: 'a[b' } }", "3:34 config/bad-value"],
    ["    wire: { disabled: { success: [404] } }", "3:35 config/bad-value"],
    ["    wire: { pairs: { headers: { authorization: x } } }", "3:48 config/bad-value"],
  ])("points at what is wrong: %s", (line, place) => {
    expect(placesOf({ text: `${ONE}${line}\n` })).toEqual([place]);
  });

  it("finds what else is wrong in a file in which keys occur twice, and takes the first of each", () => {
    const repeated = "    api_prefix: /a//b\n    api_prefix: /a\nlog: { levl: info }\nlog: {}\n";
    expect(placesOf({ text: `${ONE}${repeated}` })).toEqual([
      "3:17 config/bad-value",
      "4:5 yaml/duplicate-key",
      "5:8 config/unknown-key",
      "6:1 yaml/duplicate-key",
    ]);
    const alias = "a: &a {}\na: &b {}\n";
    expect(placesOf({ text: `${alias}log: *b\n` })).toEqual([
      "2:1 yaml/duplicate-key",
      "3:6 yaml/alias",
    ]);
  });

  it.each([
    [".inf", "infinity (.inf, or too large a number)"],
    ["-1e999", "infinity (.inf, or too large a number)"],
    [".nan", ".nan"],
    ["fast", "text"],
  ])("says what %s is, in the place of a number", (written, what) => {
    const text = `${ONE}    rate: { requests_per_second: ${written} }\n`;
    const message = `"requests_per_second" must be a number, not ${what}`;
    expect(problemsOf({ text })).toMatchObject([{ message }]);
  });

  it.each([
    [["listen: 127.0.0.1:1"], "server", "it belongs to the top level; known here: external_url, "],
    [["base_url: x", "concurrency: 1"], "actions", "it belongs to aggregators[]; known here: "],
    [["concurrency: 1"], "server", "it belongs to aggregators[].rate; known here: "],
    [["url_file: x"], "log", "known: level, format"],
    [["host: x"], "server", 'did you mean "hosts"?'],
  ])("says of %s in %s which part of the config knows it", (keys, section, hint) => {
    const text = `${ONE}${section}:\n${keys.map((key) => `  ${key}\n`).join("")}`;
    const [problem] = problemsOf({ text });
    expect(problem).toMatchObject({ line: 4, id: "config/unknown-key" });
    expect(problem?.hint?.startsWith(hint)).toBe(true);
  });

  it.each([
    ["http: { port: 9733 }", "", 'served at "listen"'],
    ["host: 0.0.0.0", "", 'served at "listen"'],
    ["server: { port: 9733 }", "", '"listen" at the top level'],
    ["tokens: []", "", "the file of server.tokens_file"],
    ["path: /data", "journal", '"data" at the top level'],
    ["host: agg.example", "aggregators", 'did you mean "base_url"?'],
    ["interval: 10s", "aggregators", 'written in "schedules"'],
    ["api_key: 0123456789abcdef", "aggregators", 'as "auth" says'],
    ["headers: { X-API-KEY: 0123456789abcdef }", "aggregators", 'as "auth" says'],
  ])("says how %s is written here, if other programs have it in %s", (line, section, hint) => {
    const where = section === "" ? "" : section === "aggregators" ? "    " : `${section}:\n  `;
    const [problem] = problemsOf({ text: `${ONE}${where}${line}\n` });
    expect(problem).toMatchObject({ id: "config/unknown-key" });
    expect(problem?.hint).toContain(hint);
    expect(problem?.excerpt ?? "").not.toContain("0123456789abcdef");
  });

  it.each([
    ["slack: https://hooks.example/x", "keys of its entries: url_file, url_env, "],
    ["email: someone", "keys of its entries: url, from, to, "],
  ])("says what a list of receivers has if it is %s, and does not show its URL", (line, hint) => {
    const [problem] = problemsOf({ text: `${ONE}notify:\n  ${line}\n` });
    expect(problem?.hint?.startsWith(hint)).toBe(true);
    expect(problem?.excerpt).toBe(line.includes("//") ? undefined : `  ${line}`);
  });

  it("says which keys an entry has that may be a plain text, too", () => {
    const text = `${ONE}    watch: { senders: [[desk-a]] }\n`;
    expect(problemsOf({ text })).toMatchObject([{ hint: "its keys: address, alias" }]);
  });

  it("says how a list of texts is written", () => {
    const text = `${ONE}    watch: { senders: desk-a }\n`;
    expect(problemsOf({ text })).toMatchObject([{ hint: "write it in brackets: [ … ]" }]);
  });

  it("says how a pool is written that lacks its factory", () => {
    const text = `${ONE}    watch: { pools: [ORN-USDT, OrionV2/A-B] }\n`;
    expect(problemsOf({ text })).toMatchObject([
      {
        line: 3,
        column: 22,
        message: "this entry is not a pool",
        hint: "for example OrionV2/ORN-USDT",
      },
    ]);
  });

  it.each([
    ["", "has no value"],
    ["false", "is not a schedule"],
    ["5", "is not a schedule"],
  ])("says how a poller is turned off whose schedule is written as '%s'", (written, message) => {
    const text = `${ONE}    schedules:\n      pools: ${written}\n`;
    const hint = 'for example "*/10 * * * * *", or "off"';
    expect(problemsOf({ text })).toMatchObject([
      { line: 4, id: "config/bad-value", message: `"pools" ${message}`, hint },
    ]);
  });

  it("asks for quotes around an address, which YAML takes for a number", () => {
    const text = `${ONE}    watch: { senders: [0x8a6c2f1e0d4b7a93] }\n`;
    expect(problemsOf({ text })).toMatchObject([
      { line: 3, column: 24, id: "config/bad-value", hint: "write it in quotes" },
    ]);
  });

  it.each([
    ["ftp://host/x", "http"],
    ["not a url", "http"],
    ["https://user:hunter2@host/x", "user name"],
    ["https://host/x?y=1", "query"],
    ["https://host/a%20b", "plain path"],
  ])("refuses the base URL %s", (url, message) => {
    const [problem, ...rest] = problemsOf({ text: `aggregators: [{ base_url: "${url}" }]` });
    expect(rest).toEqual([]);
    expect(problem).toMatchObject({ id: "config/bad-value", line: 1, column: 27 });
    expect(problem?.message).toContain(message);
    expect(JSON.stringify(problem)).not.toContain("hunter2");
  });

  it("refuses two aggregators of one name", () => {
    const text = `${ONE}  - base_url: https://other.example/bsc-mainnet/backend\n`;
    expect(placesOf({ text })).toEqual(["3:15 config/duplicate"]);
  });

  it("refuses two maintenance windows of one name, as their hold would be the same", () => {
    const night = 'schedule: "0 2 * * 6", duration: 2h, reason: x }';
    const text = `${ONE}maintenance:\n  - { name: a, ${night}\n  - { name: b, ${night}\n  - { name: a, ${night}\n`;
    expect(problemsOf({ text })).toMatchObject([
      { line: 6, column: 13, message: 'maintenance[0] has the name "a" already' },
    ]);
  });

  it("gives all problems at once, from the file, from variables and from flags", () => {
    const found = placesOf({
      text: `dta: x\n${ONE}    retries: many\n    auth: { act: { type: bearer, value_file: nope } }\n`,
      env: { AGGWATCH_LOG_LEVEL: "loud", AGGWATCH_LISTN: "x" },
      flags: { mode: "full" },
    });
    expect(found).toEqual([
      "--mode config/bad-value",
      "AGGWATCH_LISTN config/unknown-variable",
      "AGGWATCH_LOG_LEVEL config/bad-value",
      "1:1 config/unknown-key",
      "4:14 config/bad-value",
      "5:46 config/secret",
    ]);
  });

  it("places what a further check finds", () => {
    const checks = [
      () => [{ path: ["aggregators", 0, "wire", "disabled", "path"], message: "no", hint: "yes" }],
    ];
    const text = `${ONE}    wire: { disabled: { path: /x } }\n`;
    expect(problemsOf({ text, checks })).toMatchObject([
      {
        line: 3,
        column: 31,
        message: "no",
        hint: "yes",
        path: "aggregators[0].wire.disabled.path",
      },
    ]);
    const env = { AGGWATCH_WIRE_DISABLED_PATH: "/x" };
    expect(problemsOf({ text: ONE, env, checks })).toMatchObject([
      { file: "AGGWATCH_WIRE_DISABLED_PATH", line: 0 },
    ]);
  });
});

describe("findDirectory", () => {
  it("finds the journal's as the daemon does: variable, then file, from where the file is", () => {
    const file = { name: "etc/aggwatch.yaml", text: "data: d\nunknown_key: 1\n" };
    expect(findDirectory("data", { file, env: {}, flags: {} })).toBe("etc/d");
    expect(findDirectory("data", { file, env: { AGGWATCH_DATA: "e" }, flags: {} })).toBe("e");
    expect(findDirectory("data", { file, env: {}, flags: { data: "f" } })).toBe("f");
    expect(findDirectory("data", { env: {}, flags: {} })).toBe("./data");
  });

  it("finds it while other things are wrong", () => {
    const file = { name: "etc/aggwatch.yaml", text: "rules: r\nnonsense: 1\n" };
    expect(findDirectory("rules", { file, env: {}, flags: {} })).toBe("etc/r");
    expect(findDirectory("rules", { file, env: { AGGWATCH_RULES: "e" }, flags: {} })).toBe("e");
    expect(findDirectory("rules", { env: {}, flags: {} })).toBe("./rules");
    expect(findDirectory("rules", { file: { name: "x", text: "[" }, env: {}, flags: {} })).toBe(
      "./rules",
    );
  });
});
