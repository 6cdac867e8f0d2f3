/** Tests src/io/aggregator/decode-body.ts: a status of 200 whose body says that it failed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WireOverrides } from "../../../src/aggregator/profile.ts";
import type { SurfaceReading } from "../../../src/domain/observation.ts";
import type { Json } from "../../../src/domain/result.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import { exchangesPoller } from "../../../src/pollers/exchanges.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import { sendJson } from "../local-server.ts";
import { connect, never } from "./client-fixture.ts";

/** What a poll of both listings of exchanges says if the disabled one has this body. */
async function pollWith(body: Json, map?: string) {
  const wire = map === undefined ? {} : { disabled: { map } };
  return (await pollsWith([body], ["BINANCE"], wire))[0];
}

/** What polls say in which the disabled listing has one of these bodies after the other. */
async function pollsWith(bodies: readonly Json[], list: Json, wire: WireOverrides) {
  let polls = 0;
  const { client, close } = await connect(
    ({ url }, response) => sendJson(response, url.includes("disabled") ? bodies[polls] : list),
    { maxBodyBytes: 5_000_000 },
    wire,
  );
  const readings: SurfaceReading[] = [];
  const poll = async (): Promise<SurfaceReading | undefined> => {
    const { parts } = await runPoll({
      aggregator: "local",
      poller: exchangesPoller,
      client,
      watch: NOTHING_WATCHED,
      statuses: DEFAULT_STATUSES,
      clock: { now: () => Date.now() },
      signal: never,
      origin: "poll",
    });
    return parts[0]?.reading;
  };
  try {
    for (; polls < bodies.length; polls += 1) readings.push((await poll()) as SurfaceReading);
    return readings;
  } finally {
    await close();
  }
}

const NONE = { exchanges: [], pairs: [] };

test.each<Json>([
  { ...NONE, success: false, message: "database down" },
  { ...NONE, code: "500000", msg: "database down" },
  { ...NONE, status: "error" },
])("what failed does not say that nothing is disabled: %j", async (body) => {
  expect(await pollWith(body)).toMatchObject({
    ok: true,
    complete: false,
    doubt: { reason: "error_beside_data" },
  });
});

const ENVELOPE = { exchanges: { map: "data" }, disabled: { map: "data" } };

test("an envelope with a code of its own may say that nothing is disabled any more", async () => {
  for (const [code, msg] of [
    [1, "操作成功"],
    [10_000, "Query success"],
    [1, "Success. Rate limit: 100/min"],
    ["S0000", "No disabled exchanges"],
  ] as const) {
    const body = { code, msg, data: NONE };
    expect(await pollWith(body, "data")).toMatchObject({ ok: true, complete: true });
  }
});

test("a code that came with a filled listing is no failure later, unless its message says so", async () => {
  const saying = (msg: string, exchanges: string[] = []) => ({
    code: 7,
    msg,
    data: { exchanges, pairs: [] },
  });
  const bodies = [saying("rows", ["OKX"]), saying("no rows"), saying("the database failed")];
  const list = { code: 0, msg: "rows", data: ["BINANCE"] };
  expect(await pollsWith(bodies, list, ENVELOPE)).toMatchObject([
    { complete: true },
    { complete: true },
    { complete: false, doubt: { reason: "error_beside_data" } },
  ]);
  expect(await pollWith(saying("no rows"), "data")).toMatchObject({ complete: false });
});

test.each<Json>([
  { code: 1001, msg: "System upgrading", extra: { traceId: "abc" } },
  { code: 500, msg: "database failed", args: ["x"] },
  { code: 7, msg: "try it tomorrow", request: { path: "/" }, exchanges: [] },
])("what stands beside an empty listing is no entry of it: %j", async (body) => {
  const bodies = [
    { ...NONE, ...Object(body) },
    { ...NONE, code: Object(body).code, msg: "x" },
  ];
  for (const reading of await pollsWith(bodies, ["BINANCE"], {}))
    expect(reading).toMatchObject({ complete: false, doubt: { reason: "error_beside_data" } });
});

/** It takes the names of a list, and nothing else of what comes with the data. */
const NAMES = '{ "exchanges": [data.list.name], "pairs": [] }';

test.each<{ readonly [key: string]: Json }>([
  { data: { list: [], trace: ["a", "b"] } },
  { data: { list: null, query: { page: 1 } } },
  { data: { list: [] }, result: ["x"] },
  { data: null, body: ["upstream said no"] },
  { data: {}, body: ["upstream said no"] },
])("what comes within the data is no entry either: %j", async (data) => {
  const bodies = [
    { code: 7, msg: "try it tomorrow", ...data },
    { code: 7, msg: "x", data: { list: [] } },
  ];
  for (const reading of await pollsWith(bodies, ["BINANCE"], { disabled: { map: NAMES } }))
    expect(reading).toMatchObject({ complete: false, doubt: { reason: "error_beside_data" } });
});

test.each<{ readonly code: number; readonly msg: string }>([
  { code: 500, msg: "hm" },
  { code: -1, msg: "hm" },
  { code: 7, msg: "the database is down" },
])("entries that no map takes do not take back a failure that is sure: %j", async (envelope) => {
  const data = [{ name: "OKX", disabled: false }];
  const map = '{ "exchanges": [data[disabled].name], "pairs": [] }';
  expect(await pollWith({ ...envelope, data }, map)).toMatchObject({
    complete: false,
    doubt: { reason: "error_beside_data" },
  });
});

test("a code that is named after a success is one, and one named after a failure is none", async () => {
  for (const code of ["SUCCESS_0", "OK_0", "OK-0", "ok00", "SUCCESS"])
    expect(await pollWith({ ...NONE, code, msg: "done" }), code).toMatchObject({ complete: true });
  for (const code of ["NOT_FOUND", "NotFound", "SYSTEM_BUSY", "SUCCESS_WITH_ERRORS", "NOT_OK"]) {
    const saying = { code, msg: "success", exchanges: ["OKX"] };
    const bodies = [
      { ...NONE, ...saying },
      { ...NONE, code, msg: "done" },
    ];
    const [, later] = await pollsWith(bodies, ["BINANCE"], {});
    expect(later, code).toMatchObject({ complete: false });
  }
});

test("a listing of which a map takes nothing is no failure for its code", async () => {
  const data = [{ name: "OKX", disabled: false }];
  const map = '{ "exchanges": [data[disabled].name], "pairs": [] }';
  const body = { code: 7, msg: "rows", data };
  expect(await pollWith(body, map)).toMatchObject({ ok: true, complete: true });
  expect(await pollWith({ ...body, data: [] }, map)).toMatchObject({ complete: false });
});

test("the exchange OK that is not disabled is no failure", async () => {
  const map = '{ "exchanges": [$keys($)[$lookup($$, $)]], "pairs": [] }';
  expect(await pollWith({ BINANCE: true, OK: false }, map)).toMatchObject({
    complete: true,
    entities: [{ id: "BINANCE", facts: { disabled: true } }],
  });
});

test("a disabled listing in capitals that says it is a part does not say what is not disabled", async () => {
  const map = '{ "exchanges": [EXCHANGES], "pairs": [] }';
  expect(await pollWith({ EXCHANGES: ["OKX"], HAS_MORE: true }, map)).toMatchObject({
    complete: false,
    doubt: { reason: "more_elsewhere", detail: "disabled: $.HAS_MORE says that there is more" },
  });
});

test("a message of megabytes neither stops the loop nor says that all went well", async () => {
  const long = [
    "ok" + ":".repeat(2e6),
    "success" + "_".repeat(2e6),
    "OK " + "and so on ".repeat(200),
  ];
  for (const text of long) {
    for (const field of ["msg", "error"])
      expect(await pollWith({ ...NONE, code: 1, [field]: text })).toMatchObject({
        complete: false,
        doubt: { reason: "error_beside_data" },
      });
  }
});

test.each<Json>([
  { ...NONE, success: { toString: 1 } },
  { exchanges: [], pairs: [{ exchange: "A", assetPair: "B-C", disabled: { toString: 1 } }] },
  { exchanges: [], pairs: [{ exchange: "A", assetPair: "B-C", enabled: [{ toString: 1 }] }] },
])("what has a field named as a method of objects is read as any other: %j", async (body) => {
  expect(await pollWith(body)).toMatchObject({ ok: true, complete: true });
});

test("what went well says that nothing is disabled", async () => {
  const body = { ...NONE, success: true, code: 0, status: "ok", error: "OK", message: "no rows" };
  expect(await pollWith(body)).toMatchObject({ ok: true, complete: true });
});

test.each<{ readonly [flag: string]: Json }>([
  { disabled: false },
  { disabled: "false" },
  { disabled: 0 },
  { disabled: "no" },
  { disabled: "off" },
  { disabled: "N" },
  { disabled: "00" },
  { enabled: true },
  { enabled: 1 },
  { enabled: "yes" },
])(
  "a pair in the disabled listing that says it is not disabled is never acted on: %j",
  async (flag) => {
    const pair = { exchange: "BINANCE", assetPair: "ORN-USDT", ...flag };
    const [name] = Object.keys(flag);
    expect(await pollWith({ exchanges: [], pairs: [pair] })).toMatchObject({
      ok: false,
      failure: { reason: "mismatch", message: expect.stringContaining(`$.pairs[0].${name}`) },
    });
  },
);

test.each<{ readonly [flag: string]: Json }>([
  { disabled: true },
  { disabled: 1 },
  { disabled: null },
  { disabled: "2026-01-01" },
  { enabled: false },
  { enabled: "off" },
  { enabled: "disabled" },
  { enabled: null },
])("a pair in the disabled listing is disabled, with %j as well", async (flag) => {
  const pair = { exchange: "BINANCE", assetPair: "ORN-USDT", ...flag };
  expect(await pollWith({ exchanges: [], pairs: [pair] })).toMatchObject({
    entities: [{ id: "BINANCE" }, { id: "BINANCE/ORN-USDT", facts: { status: "disabled" } }],
  });
});

/** It makes an empty listing of anything. */
const LOOSE = '{ "exchanges": [data[disabled].name], "pairs": [] }';

test.each<Json>([
  { error: "backend unavailable" },
  { data: null, error: { code: 1, reason: "down" } },
  { success: false, message: "down" },
])(
  "an error without data is no listing of nothing, whatever a map makes of it: %j",
  async (body) => {
    expect(await pollWith(body, LOOSE)).toMatchObject({
      ok: true,
      complete: false,
      doubt: { reason: "error_beside_data" },
    });
  },
);

const root = join(import.meta.dirname, "../../..");
const mapOf = (document: string): string => {
  const text = readFileSync(join(root, document), "utf8");
  return /\$type\(data\).*data\[disabled\].*\$error\(.*?\)/.exec(text)?.[0] ?? "";
};

test("both examples in the documents are the same map", () => {
  expect(mapOf("docs/aggregator.md")).toBe(mapOf("docs/configuration.md"));
});

test("the map that the documents show reads a listing, and fails without one", async () => {
  const map = mapOf("docs/configuration.md");
  const okx = { name: "OKX", disabled: true };
  const both = { data: [okx, { name: "BINANCE", disabled: false }] };
  for (const body of [both, { data: [okx] }])
    expect(await pollWith(body, map)).toMatchObject({
      complete: true,
      entities: [{ id: "BINANCE" }, { id: "OKX", facts: { disabled: true } }],
    });
  expect(await pollWith({ data: [] }, map)).toMatchObject({ ok: true, complete: true });
  for (const body of [{ error: "down" }, { data: null, error: "down" }, { data: null }, {}])
    expect(await pollWith(body, map)).toMatchObject({ ok: false, failure: { reason: "mismatch" } });
});
