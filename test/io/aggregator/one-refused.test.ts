/** Tests src/io/aggregator/send-read.ts: what one read that is always refused means for the others of its endpoint. */
import { afterEach, describe, expect, test } from "vitest";
import type { Client } from "../../../src/io/aggregator/client.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import { swapsPoller } from "../../../src/pollers/swaps.ts";
import { sendJson, type Handler } from "../local-server.ts";
import { connect, never, type Fixture } from "./client-fixture.ts";

/** Real servers and times: pauses and retries of milliseconds. */
let fixture: Fixture | undefined;

afterEach(async () => {
  await fixture?.close();
});

const SENDERS = Array.from({ length: 60 }, (_, index) => ({ address: `0xs${index}z` }));

async function start(handler: Handler): Promise<Fixture> {
  fixture = await connect(handler, {
    retries: { limit: 2, firstDelayMs: 4, longestDelayMs: 4 },
    longestPauseMs: 40,
  });
  return fixture;
}

async function failedOf(client: Client): Promise<readonly string[]> {
  const observed: Array<Awaited<ReturnType<typeof runPoll>>> = [];
  const last = await runPoll(
    {
      aggregator: "local",
      poller: swapsPoller,
      client,
      watch: { ...NOTHING_WATCHED, senders: SENDERS },
      statuses: DEFAULT_STATUSES,
      clock: { now: () => Date.now() },
      signal: never,
      origin: "poll",
    },
    (piece) => void observed.push(piece),
  );
  const parts = [...observed, last].flatMap((one) => one.parts);
  expect(parts).toHaveLength(SENDERS.length);
  return parts.filter(({ reading }) => !reading.ok).map(({ surface }) => surface);
}

describe("a sweep of 60 senders", () => {
  test.each([429, 503])("reads all but one that always answers %i", async (status) => {
    const { client } = await start(({ url }, response) => {
      if (url.includes("0xs7z")) sendJson(response, { error: "unavailable" }, status);
      else sendJson(response, []);
    });
    for (let polls = 0; polls < 4; polls += 1) expect(await failedOf(client)).toEqual(["0xs7z"]);
  });

  test("is neither paused nor robbed of retries if one backend in ten answers 503", async () => {
    let requests = 0;
    let paused = 0;
    let slowest = Infinity;
    const { client } = await start((_seen, response) => {
      if (client.isPaused()) paused += 1;
      slowest = Math.min(slowest, client.pollLimit());
      requests += 1;
      if (requests % 10 === 4) sendJson(response, { error: "unavailable" }, 503);
      else sendJson(response, []);
    });
    for (let polls = 0; polls < 4; polls += 1) expect(await failedOf(client)).toEqual([]);
    expect(requests).toBeGreaterThan(4 * SENDERS.length);
    expect(paused).toBe(0);
    expect(slowest).toBe(2);
  });

  test("reads all but those few that always answer 503", async () => {
    const bad = [3, 4, 5, 29, 51].map((index) => `0xs${index}z`);
    const { client } = await start(({ url }, response) => {
      if (bad.some((one) => url.includes(one))) sendJson(response, { error: "unavailable" }, 503);
      else sendJson(response, []);
    });
    for (let polls = 0; polls < 2; polls += 1)
      expect((await failedOf(client)).toSorted()).toEqual(bad.toSorted());
  });
});
