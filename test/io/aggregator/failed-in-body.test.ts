/** Tests src/io/aggregator/decode-body.ts: a status of 200 whose body says that it failed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
  const { client, close } = await connect(
    ({ url }, response) => sendJson(response, url.includes("disabled") ? body : ["BINANCE"]),
    {},
    wire,
  );
  try {
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

test("what went well says that nothing is disabled", async () => {
  const body = { ...NONE, success: true, code: 0, status: "ok", message: "no rows" };
  expect(await pollWith(body)).toMatchObject({ ok: true, complete: true });
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
