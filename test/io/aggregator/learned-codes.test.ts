/** Tests src/io/aggregator/reader.ts: an empty listing is doubted for its code until that comes with entries. */
import { expect, onTestFinished, test } from "vitest";
import type { WireOverrides } from "../../../src/aggregator/profile.ts";
import type { SurfaceReading } from "../../../src/domain/observation.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import { exchangesPoller } from "../../../src/pollers/exchanges.ts";
import { NOTHING_WATCHED, type Poller } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import { swapsPoller } from "../../../src/pollers/swaps.ts";
import { sendJson, type Handler } from "../local-server.ts";
import { connect, never } from "./client-fixture.ts";

const WIRE: WireOverrides = {
  exchanges: { map: "data" },
  disabled: { map: '{ "exchanges": data, "pairs": [] }' },
  activeSwaps: { map: "data" },
};
/** The same object for all polls, as only then their readings are kept. */
const WATCH = { ...NOTHING_WATCHED, senders: [{ address: "0x1" }] };
const DOUBTED = { ok: true, doubt: { reason: "error_beside_data" } };

const envelope = (data: readonly string[]) => ({ code: 1, msg: "query complete", data });

/** Only exchange/list has entries; its code is that of all. */
const answer: Handler = ({ url }, response) =>
  sendJson(response, envelope(url.includes("/list") ? ["BINANCE"] : []));

async function start(handler: Handler) {
  const { client, server, close } = await connect(handler, {}, WIRE);
  onTestFinished(close);
  const read = async (endpoint: "disabled" | "exchanges", origin: "poll" | "probe" = "poll") =>
    await client.read(endpoint, {}, { signal: never, origin });
  const poll = async (poller: Poller): Promise<SurfaceReading | undefined> => {
    const { parts } = await runPoll({
      aggregator: "local",
      poller,
      client,
      watch: WATCH,
      statuses: DEFAULT_STATUSES,
      clock: { now: () => Date.now() },
      signal: never,
      origin: "poll",
    });
    return parts[0]?.reading;
  };
  return { read, poll, server };
}

test("a body that came before its code was known is believed when it comes again", async () => {
  const { read } = await start(answer);
  expect(await read("disabled")).toMatchObject(DOUBTED);
  expect(await read("disabled")).toMatchObject(DOUBTED);
  await read("exchanges");
  const believed = await read("disabled");
  expect(believed).toMatchObject({ ok: true, value: { exchanges: [], pairs: [] } });
  expect(believed.doubt).toBeUndefined();
  // From then on it is known.
  expect(await read("disabled")).toBe(believed);
  expect(await read("disabled", "probe")).toBe(believed);
});

test("no 304 stands for a body that came before its code was known", async () => {
  const { read, server } = await start((seen, response) => {
    response.setHeader("etag", '"v1"');
    if (seen.headers["if-none-match"] === '"v1"') response.writeHead(304).end();
    else answer(seen, response);
  });
  for (let poll = 0; poll < 3; poll += 1) expect(await read("disabled")).toMatchObject(DOUBTED);
  await read("exchanges");
  for (let poll = 0; poll < 3; poll += 1) expect((await read("disabled")).doubt).toBeUndefined();
  const conditions = server.seen.map(({ headers }) => headers["if-none-match"]);
  const whole = undefined;
  expect(conditions).toEqual([whole, whole, '"v1"', whole, whole, whole, '"v1"']);
});

test.each([
  ["a key that comes twice", '{"code":1,"code":1,"msg":"query complete","data":["OKX"]}'],
  ["its message", '{"code":1,"msg":"the database failed","data":[]}'],
])(
  "a body that is doubted for %s is not decoded again because its code is known",
  async (_, text) => {
    const { read } = await start((seen, response) => {
      if (seen.url.includes("/list")) answer(seen, response);
      else response.writeHead(200, { "content-type": "application/json" }).end(text);
    });
    await read("disabled");
    await read("exchanges");
    await read("disabled");
    const doubted = await read("disabled");
    expect(doubted.doubt).toBeDefined();
    expect(await read("disabled")).toBe(doubted);
  },
);

test("a poll after one without the list of exchanges says that nothing is disabled", async () => {
  let isDown = true;
  const { poll } = await start((seen, response) => {
    if (isDown && seen.url.includes("/list")) response.writeHead(500).end();
    else answer(seen, response);
  });
  expect(await poll(exchangesPoller)).toMatchObject({ ok: false });
  isDown = false;
  // Here, either listing may be decoded first.
  await poll(exchangesPoller);
  expect(await poll(exchangesPoller)).toMatchObject({ ok: true, complete: true });
});

test("a sender without swaps is believed once the code has come with exchanges", async () => {
  const { poll } = await start(answer);
  for (let polls = 0; polls < 2; polls += 1)
    expect(await poll(swapsPoller)).toMatchObject({ ok: true, complete: false });
  await poll(exchangesPoller);
  expect(await poll(swapsPoller)).toMatchObject({ ok: true, complete: true });
});
