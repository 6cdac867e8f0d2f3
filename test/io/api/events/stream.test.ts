/** Tests src/io/api/events/stream.ts, route.ts, message.ts, over real HTTP. */
import { connect, type Socket } from "node:net";
import { createGunzip } from "node:zlib";
import { get, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MOST_VIEWERS } from "../../../../src/io/api/events/route.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { startServer } from "../../../../src/io/http/app-server.ts";
import type { RunningServer } from "../../../../src/io/http/listen.ts";
import type { World } from "../../../core/world.ts";
import { createEvents, type Finishing } from "../../../acceptance/events.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";
import { feedOf, parseEvent, type FeedWorld, type Sent } from "./feed-world.ts";

let world: World;
let own: FeedWorld;
let gone: { viewers: number };
let server: RunningServer;

beforeEach(async () => {
  world = eventfulWorld();
  own = feedOf(world);
  // Viewers of the test before may leave late.
  const counter = { viewers: 0 };
  gone = counter;
  const leave: FeedWorld["feed"]["leave"] = (viewer) => {
    counter.viewers += 1;
    own.feed.leave(viewer);
  };
  const feed = { ...own.feed, leave };
  server = await startServer(createApp(sourceOf(world, { feed })), "127.0.0.1", 0);
});

afterEach(async () => {
  own.feed.close();
  await server.close();
});

function open(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${server.url}${path}`, { headers, agent: false }, resolve).on("error", reject);
  });
}

/** The events of a stream as they come. */
function eventsOf(context: Finishing, reply: IncomingMessage) {
  const events = createEvents<Sent>(context, "event");
  const isGzipped = reply.headers["content-encoding"] === "gzip";
  const texts = isGzipped ? reply.pipe(createGunzip()) : reply;
  let rest = "";
  texts.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) events.add(parseEvent(part));
  });
  // It never ends by itself, so unpacking it is cut short when the test ends.
  texts.on("error", () => undefined);
  context.onTestFinished(() => void reply.destroy());
  return events;
}

const cutViewers = (): number => gone.viewers;

function killed(): void {
  own.note([], [{ type: "kill", source: "operator", on: true, detail: "d" }]);
}

/** A change of 150 kB. */
async function sendsMuch(turn: number): Promise<void> {
  const key = "bsc/pool/F/P";
  const pool = world.state.tables.entity.get(key);
  if (pool === undefined) throw new Error("there is no pool");
  pool.facts = { ...pool.facts, name: `${turn} ${"x".repeat(150_000)}` };
  own.note([{ table: "entity", key, value: pool }]);
  await own.second();
}

function isTurn(turn: number): (sent: Sent) => boolean {
  return ({ data }) => JSON.stringify(data ?? "").includes(`"name":"${turn} `);
}

for (const encoding of ["identity", "gzip"]) {
  it(`gives each event at once (${encoding})`, async (context) => {
    const reply = await open("/api/v1/events?topics=findings", { "accept-encoding": encoding });
    expect(reply.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
    });
    expect(reply.headers["content-encoding"]).toBe(encoding === "gzip" ? "gzip" : undefined);
    const events = eventsOf(context, reply);
    const { id } = await events.first(({ event }) => event === "reset");
    killed();
    await own.second();
    const { data } = await events.first(({ event }) => event === "findings");
    expect(data).toMatchObject({ findings: [{ type: "kill" }] });
    const again = await open("/api/v1/events", { "last-event-id": id });
    const repeated = await eventsOf(context, again).first(({ event }) => event === "findings");
    expect(repeated.data).toEqual(data);
  });
}

it("refuses an unknown topic, one viewer too many, and lets one in as soon as another leaves", async () => {
  expect((await open("/api/v1/events?topics=gossip")).statusCode).toBe(400);
  const replies = await Promise.all(
    Array.from({ length: MOST_VIEWERS }, () => open("/api/v1/events")),
  );
  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const head = await fetch(`${server.url}/api/v1/events`, { method: "HEAD" });
  expect(head.status).toBe(200);
  const refused = await open("/api/v1/events");
  expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "10"]);
  replies[0]?.destroy();
  let status: number | undefined;
  while (status !== 200) {
    const reply = await open("/api/v1/events");
    status = reply.statusCode;
    replies.push(reply);
  }
  for (const reply of replies) reply.destroy();
});

it("gives a viewer that comes back all that it missed, though that is more than may wait", async (context) => {
  const plain = { "accept-encoding": "identity" };
  const before = await open("/api/v1/events?topics=entities", plain);
  const { id } = await eventsOf(context, before).first(({ event }) => event === "reset");
  for (let turn = 0; turn < 12; turn += 1) await sendsMuch(turn);
  const again = await open("/api/v1/events?topics=entities", { ...plain, "last-event-id": id });
  const events = eventsOf(context, again);
  await events.first(isTurn(11));
  expect(events.all.filter(({ event }) => event === "entities").length).toBe(12);
  await sendsMuch(12);
  await events.first(isTurn(12));
});

it("cuts a viewer that does not read, and no other", async (context) => {
  const reader = eventsOf(context, await open("/api/v1/events?topics=entities"));
  await reader.first(({ event }) => event === "reset");
  const { hostname, port } = new URL(server.url);
  const idle: Socket = connect(Number(port), hostname);
  const cut = new Promise<void>((resolve) => {
    idle.once("close", () => resolve());
  });
  idle.on("error", () => undefined);
  idle.once("data", () => idle.pause());
  idle.write(`GET /api/v1/events?topics=entities HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  // The reader keeps up, and so it is the other that is left behind.
  for (let turn = 0; turn < 1_000 && cutViewers() === 0; turn += 1) {
    await sendsMuch(turn);
    await reader.first(isTurn(turn));
  }
  idle.on("data", () => undefined);
  idle.resume();
  await cut;
  expect(cutViewers()).toBe(1);
});
