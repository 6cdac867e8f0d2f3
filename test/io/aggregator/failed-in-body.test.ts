/** Tests src/io/aggregator/decode-body.ts: a status of 200 whose body says that it failed. */
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
