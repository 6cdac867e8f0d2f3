import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/step.ts";
import { createRedactor } from "../../src/io/redact/redactor.ts";
import { createSender, type Sender } from "../../src/io/http/http-send.ts";
import { startOffsetMs } from "../../src/io/schedule/back-off.ts";
import { createPolling, type Polling } from "../../src/run/polling.ts";
import { sendJson, startServer, type LocalServer } from "../io/local-server.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "./watchdog-setup.ts";

/** Asks only when it is told to. */
const RARELY = EVERY_POLLER.filter(({ name }) => name === "exchanges").map((own) => ({
  ...own,
  schedule: "0 0 0 1 1 *",
}));

let servers: LocalServer[] = [];
let polling: Polling;
let stopping: AbortController;
const events: Event[] = [];
let wake = (): void => {};
let held: ServerResponse[] = [];
let holding = false;
/** What was made to send requests, and is not closed. */
const open = new Set<Sender>();

beforeEach(() => {
  events.length = 0;
  open.clear();
  held = [];
  holding = false;
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort();
  await polling.stop();
  polling.close();
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

async function serve(names: readonly string[]): Promise<LocalServer> {
  const server = await startServer(({ url, method }, response) => {
    const answer = (): void => {
      if (method === "POST") sendJson(response, {});
      else sendJson(response, url.includes("disabled") ? { exchanges: [], pairs: [] } : names);
    };
    if (holding) held.push(response);
    else answer();
    wake();
  });
  servers.push(server);
  return server;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

function answerHeld(server: LocalServer): void {
  for (const [index, response] of held.entries()) {
    const isDisabled = server.seen[index]?.url.includes("disabled") === true;
    sendJson(response, isDisabled ? { exchanges: [], pairs: [] } : ["A"]);
  }
}

const setupOf = (...aggregators: Parameters<typeof watchdogSetup>[1]) =>
  watchdogSetup("/nowhere", aggregators);

function start(...aggregators: Parameters<typeof watchdogSetup>[1]): Polling {
  polling = createPolling(setupOf(...aggregators), {
    clock: { now: () => Date.now() },
    random: Math.random,
    createSender: (options) => {
      const sender = createSender(options);
      const close = (): void => {
        open.delete(own);
        sender.close();
      };
      const own = { ...sender, close };
      open.add(own);
      return own;
    },
    redactor: createRedactor(),
    signal: stopping.signal,
    push: (event) => {
      events.push(event);
      wake();
    },
  });
  return polling;
}

const toward = (server: LocalServer, change = {}) =>
  aggregatorSetup(server.baseUrl, { pollers: RARELY, ...change });

/** Another aggregator, for which no client can be made. */
const broken = (server: LocalServer) =>
  toward(server, { name: "broken", client: { ...toward(server).client, baseUrl: "no url" } });

const seen = (): string[] =>
  events.flatMap((event) =>
    event.type !== "observed"
      ? []
      : event.observation.parts.flatMap(({ reading }) =>
          reading.ok ? reading.entities.map(({ id }) => id) : ["failed"],
        ),
  );

const CALL = { endpoint: "enableExchange", args: { exchange: "A" } } as const;
const signal = new AbortController().signal;

describe("other settings of what is watched", () => {
  it("read at the new address at once, and what the old one says then counts no more", async () => {
    const [old, fresh] = [await serve(["OLD"]), await serve(["NEW"])];
    holding = true;
    start(toward(old)).start();
    await until(() => held.length === 2);
    holding = false;
    polling.prepare(setupOf(toward(fresh))).apply();
    await until(() => seen().length > 0);
    expect(seen()).toEqual(["NEW"]);
  });

  it("never cut off an action that is under way, and close its connections after it", async () => {
    const [old, fresh] = [await serve([]), await serve([])];
    const client = start(toward(old)).clientOf("bsc");
    holding = true;
    const acted = client?.act(CALL, { signal });
    await until(() => held.length === 1);
    holding = false;
    polling.prepare(setupOf(toward(fresh))).apply();
    polling.prepare(setupOf()).apply();
    const [response] = held;
    if (response !== undefined) sendJson(response, {});
    expect(await acted).toMatchObject({ outcome: "acknowledged" });
    const late = await client?.act(CALL, { signal });
    expect(late).toMatchObject({ outcome: "rejected" });
    expect(old.seen).toHaveLength(1);
    expect(polling.clientOf("bsc")).toBeUndefined();
  });

  it("leave the client, and a poll under way, if only the schedule changed", async () => {
    const server = await serve(["A"]);
    holding = true;
    start(toward(server)).start();
    await until(() => held.length === 2);
    holding = false;
    const before = polling.clientOf("bsc");
    const schedule = RARELY.map((own) => ({ ...own, schedule: "0 0 0 2 1 *" }));
    polling.prepare(setupOf(toward(server, { pollers: schedule }))).apply();
    expect(polling.clientOf("bsc")).toBe(before);
    answerHeld(server);
    await until(() => seen().length > 0);
    expect(seen()).toEqual(["A"]);
    expect(server.seen).toHaveLength(2);
  });

  it("change nothing until they are applied, nor when they cannot be used", async () => {
    const server = await serve(["A"]);
    const before = start(toward(server)).clientOf("bsc");
    polling.prepare(setupOf(toward(server, { watch: { senders: [] } }))).drop();
    expect(() => polling.prepare(setupOf(toward(server), broken(server)))).toThrow("base_url");
    expect(polling.clientOf("bsc")).toBe(before);
    expect(polling.clientOf("broken")).toBeUndefined();
    expect(polling.slotCounts().map(({ poller }) => poller)).toEqual(["exchanges"]);
  });

  it("leave no connection open that was made for them, if they are dropped or cannot be used", async () => {
    const [old, fresh] = [await serve([]), await serve([])];
    start(toward(old));
    const before = [...open];
    polling.prepare(setupOf(toward(fresh))).drop();
    expect([...open]).toEqual(before);
    expect(() => polling.prepare(setupOf(toward(fresh), broken(fresh)))).toThrow("base_url");
    expect([...open]).toEqual(before);
  });
});

describe("a stop", () => {
  it("ends the polls that are under way, and nothing is reported of them", async () => {
    const server = await serve(["A"]);
    holding = true;
    start(toward(server)).start();
    await until(() => held.length === 2);
    stopping.abort();
    answerHeld(server);
    await polling.stop();
    expect(seen()).toEqual([]);
  });

  it("closes all connections, also those that were left with an action under way", async () => {
    const [old, fresh] = [await serve([]), await serve([])];
    const client = start(toward(old)).clientOf("bsc");
    holding = true;
    const acted = client?.act(CALL, { signal });
    await until(() => held.length === 1);
    polling.prepare(setupOf(toward(fresh))).apply();
    polling.close();
    expect(open.size).toBe(0);
    expect(await acted).toMatchObject({ outcome: "in_doubt" });
  });
});

it("an aggregator that asks to wait is not polled with the others until then", async () => {
  const busy = await startServer((_seen, response) => {
    response.writeHead(429, { "retry-after": "300" }).end();
  });
  servers.push(busy);
  const calm = await serve(["A"]);
  // A slot of the one that waits begins earlier than one of the other.
  expect(startOffsetMs("bsc", "exchanges")).toBeLessThan(startOffsetMs("other", "exchanges"));
  start(toward(busy), toward(calm, { name: "other" })).start();
  await until(() => seen().length === 2);
  polling.pollAll();
  await until(() => seen().filter((id) => id === "A").length === 2);
  expect(seen().toSorted()).toEqual(["A", "A", "failed"]);
});

it.each([
  ["a reload of another setting", { maxBodyBytes: 1_000 }],
  ["a reload of the rate", { rate: { requestsPerSecond: 20, concurrency: 4 } }],
])("nor by %s, unless it is at another address", async (_what, change) => {
  let isBusy = true;
  const busy = await startServer((_seen, response) => {
    if (isBusy) response.writeHead(429, { "retry-after": "300" }).end();
    else sendJson(response, ["B"]);
  });
  servers.push(busy);
  const calm = await serve(["A"]);
  start(toward(busy)).start();
  await until(() => seen().length === 1);
  const asked = busy.seen.length;
  const { client } = toward(busy);
  const other = toward(calm, { name: "other" });
  const edited = toward(busy, { client: { ...client, ...change } });
  polling.prepare(setupOf(edited, other)).apply();
  await until(() => seen().includes("A"));
  expect(busy.seen).toHaveLength(asked);
  isBusy = false;
  const moved = toward(busy, { client: { ...client, baseUrl: `${busy.baseUrl}/moved` } });
  polling.prepare(setupOf(moved, other)).apply();
  await until(() => busy.seen.length > asked);
});
