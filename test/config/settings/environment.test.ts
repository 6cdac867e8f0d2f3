import { describe, expect, it } from "vitest";
import { variableNames } from "../../../src/config/settings/environment.ts";
import { placesOf, problemsOf, settingsOf } from "./settings-text.ts";

const URL = "https://aggregator.example/bsc-mainnet/backend";
const TWO = `aggregators:\n  - { name: a, base_url: ${URL} }\n  - { name: b, base_url: ${URL} }\n`;

describe("environment variables", () => {
  it("set every sort of key", () => {
    const { aggregators, actions, listen } = settingsOf({
      env: {
        AGGWATCH_LISTEN: "[::1]:0",
        AGGWATCH_BASE_URL: URL,
        AGGWATCH_NAME: "main",
        AGGWATCH_RATE_REQUESTS_PER_SECOND: "2.5",
        AGGWATCH_TIMEOUT: "5s",
        AGGWATCH_MAX_BODY_BYTES: "64KiB",
        AGGWATCH_SCHEDULES_POOLS: "off",
        AGGWATCH_WATCH_SENDERS: "0x1, 0x2",
        AGGWATCH_WATCH_LIQUIDATIONS: '[{ id: "0x5f", alias: first }]',
        AGGWATCH_WATCH_POOLS: "OrionV2/ORN-USDT",
        AGGWATCH_STATUSES_FINAL: "SETTLED,CANCELED",
        AGGWATCH_WIRE_PAIRS_QUERY: "{ market: SPOT }",
        AGGWATCH_WIRE_POOLRESERVES_SUCCESS: "200,204",
        AGGWATCH_ACTIONS_BUDGETS_ENABLE_PAIR_MAX: "2",
        AGGWATCH_ACTIONS_BUDGETS_ENABLE_PAIR_PER: "1h",
        AGGWATCH_ACTIONS_MODE: "act",
        AGGWATCH_DATA: "",
        UNRELATED: "x",
      },
    });
    expect(listen).toEqual({ host: "::1", port: 0 });
    expect(actions).toMatchObject({ mode: "act", budgets: { enable_pair: { max: 2 } } });
    expect(aggregators[0]).toMatchObject({
      name: "main",
      baseUrl: URL,
      rate: { requestsPerSecond: 2.5, concurrency: 16 },
      timeouts: { requestMs: 5_000, connectMs: 3_000, responseMs: 5_000 },
      maxBodyBytes: 65_536,
      watch: {
        senders: [{ address: "0x1" }, { address: "0x2" }],
        pools: [{ factory: "OrionV2", pair: "ORN-USDT" }],
      },
      statuses: { final: ["SETTLED", "CANCELED"] },
      wire: { pairs: { query: { market: "SPOT" } }, poolReserves: { success: [200, 204] } },
    });
    expect(aggregators[0]?.pollers.map(({ name }) => name)).not.toContain("pools");
  });

  it("have a name of their own for each key", () => {
    const names = variableNames();
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("name an aggregator by its position, and may add one", () => {
    const env = {
      AGGWATCH_AGGREGATORS_1_RETRIES: "7",
      AGGWATCH_AGGREGATORS_2_BASE_URL: "http://c",
    };
    const { aggregators } = settingsOf({ text: TWO, env });
    expect(aggregators.map(({ name, retries }) => [name, retries])).toEqual([
      ["a", 2],
      ["b", 7],
      ["c", 2],
    ]);
  });

  it("may add more than ten, as positions are numbers", () => {
    const positions = [10, 2, 1, 9, 0, 3, 8, 4, 7, 5, 6];
    const env = Object.fromEntries(
      positions.flatMap((position) => [
        [`AGGWATCH_AGGREGATORS_${position}_NAME`, `n${position}`],
        [`AGGWATCH_AGGREGATORS_${position}_BASE_URL`, `http://n${position}`],
      ]),
    );
    expect(settingsOf({ env }).aggregators.map(({ name }) => name)).toEqual(
      positions.toSorted((one, other) => one - other).map((position) => `n${position}`),
    );
  });

  it("may not leave open which aggregator is meant, nor leave a gap", () => {
    const env = { AGGWATCH_RETRIES: "7", AGGWATCH_AGGREGATORS_9_RETRIES: "7" };
    expect(placesOf({ text: TWO, env })).toEqual([
      "AGGWATCH_AGGREGATORS_9_RETRIES config/unknown-variable",
      "AGGWATCH_RETRIES config/ambiguous-variable",
    ]);
  });

  it("add to what the file says in a plain text", () => {
    const { aggregators } = settingsOf({
      text: `aggregators: [{ base_url: "${URL}", proxy: "http://proxy.example:3128" }]`,
      env: {
        AGGWATCH_PROXY_USERNAME: "me",
        AGGWATCH_PROXY_PASSWORD_ENV: "PROXY_PASSWORD",
        PROXY_PASSWORD: "sesame",
      },
    });
    expect(aggregators[0]?.route.proxy).toMatchObject({
      host: "proxy.example",
      port: 3_128,
      credential: { username: "me" },
    });
  });

  it.each([
    ["actions: act", "AGGWATCH_ACTIONS_MAX_AGE", "2m", "2:10 config/bad-value"],
    ["actions: { budget: 5 }", "AGGWATCH_ACTIONS_BUDGET_PER", "2h", "2:20 config/bad-value"],
    ["journal: off", "AGGWATCH_DATABASE_URL", "postgres://a.example/a", "2:10 config/bad-value"],
    ["server: a.example", "AGGWATCH_NOTIFY_PAGE_URL", "http://a.example", "2:9 config/bad-value"],
  ])("do not hide that %s is no mapping of keys", (line, name, value, place) => {
    const text = `aggregators: [{ base_url: ${URL} }]\n${line}\n`;
    expect(placesOf({ text, env: { [name]: value } })).toEqual([place]);
  });

  it("do not hide that the file has a text where the aggregators must be", () => {
    const env = { AGGWATCH_BASE_URL: "http://b" };
    expect(placesOf({ text: `aggregators: ${URL}\n`, env })).toEqual(["1:14 config/bad-value"]);
  });

  it("are problems if they are not keys", () => {
    const env = { AGGWATCH_BASE_ULR: URL, AGGWATCH_BASE_URL: URL };
    expect(problemsOf({ env })).toMatchObject([
      { file: "AGGWATCH_BASE_ULR", line: 0, hint: 'did you mean "AGGWATCH_BASE_URL"?' },
    ]);
  });

  it.each([
    ["PORT", 'the page and the API are served at "listen", such as 127.0.0.1:9733'],
    [
      "TOKEN",
      "the tokens of those who may write are in the file of server.tokens_file; commands read theirs from AGGWATCH_TOKEN_FILE",
    ],
    ["MODE", 'did you mean "AGGWATCH_ACTIONS_MODE"?'],
    ["SENDERS", 'did you mean "AGGWATCH_WATCH_SENDERS"?'],
    ["LEVEL", 'did you mean "AGGWATCH_LOG_LEVEL"?'],
    ["DATABASE", 'did you mean "AGGWATCH_DATABASE_URL"?'],
    ["URL_FILE", "docs/configuration.md lists them"],
    ["ZEBRA", "docs/configuration.md lists them"],
  ])("are problems if they are a part of a name, as %s is", (part, hint) => {
    const env = { [`AGGWATCH_${part}`]: "x", AGGWATCH_BASE_URL: URL };
    expect(problemsOf({ env })).toMatchObject([{ file: `AGGWATCH_${part}`, hint }]);
  });

  it("are taken at their own position if they are misspelt", () => {
    const env = { AGGWATCH_AGGREGATORS_1_BASE_ULR: URL };
    expect(problemsOf({ text: TWO, env })).toMatchObject([
      { hint: 'did you mean "AGGWATCH_AGGREGATORS_1_BASE_URL"?' },
    ]);
    const hook = { AGGWATCH_NOTIFY_WEBHOOKS_12_URL_FIEL: "hook" };
    expect(problemsOf({ text: TWO, env: hook })).toMatchObject([
      { hint: 'did you mean "AGGWATCH_NOTIFY_WEBHOOKS_12_URL_FILE"?' },
    ]);
  });

  it("are secrets if the file names them as such, whatever they are called", () => {
    const text = `aggregators:
  - base_url: ${URL}
    auth: { act: { type: bearer, value_env: AGGWATCH_TOKEN } }
`;
    const { aggregators } = settingsOf({ text, env: { AGGWATCH_TOKEN: "t0ken" } });
    const act = aggregators[0]?.auth.act;
    expect(act?.type === "bearer" && act.token.reveal()).toBe("t0ken");
  });

  it("are keys, though a variable of others holds their name", () => {
    const env = { AGGWATCH_BASE_URL: URL, AGGWATCH_RETRIES: "7", OTHER: "AGGWATCH_RETRIES" };
    expect(settingsOf({ env }).aggregators[0]?.retries).toBe(7);
  });

  it("are named in a problem with their value", () => {
    const env = { AGGWATCH_BASE_URL: URL, AGGWATCH_RETRIES: "many", AGGWATCH_WATCH_POOLS: "{" };
    expect(placesOf({ env })).toEqual([
      "AGGWATCH_RETRIES config/bad-value",
      "AGGWATCH_WATCH_POOLS config/bad-value",
    ]);
  });
});
