import { connect, type Socket } from "node:net";
import { createFeed, type Feed, type Viewer } from "../src/io/api/events/feed.ts";
import { TOPICS } from "../src/io/api/events/messages.ts";
import { viewOf } from "../src/io/api/lists/view.ts";
import { toEnd } from "../src/domain/slices.ts";
import type { Change } from "../src/domain/step.ts";
import { OpenAPIHono } from "@hono/zod-openapi";
import { addEvents } from "../src/io/api/events/route.ts";
import { startServer } from "../src/io/http/app-server.ts";
import { manySenders } from "./api.ts";
import { longestBlockMs, median, type Rounds } from "./measure.ts";
import { milliseconds, type Row } from "./table.ts";
import { shippedPolicy, watch, type Watched } from "./watched.ts";

/** As many as a control room has. */
const VIEWERS = 50;
const CHANGED_SHARE = 0.01;

/** What viewers are sent each second while 1 % changes, and how long that holds up the event loop. */
export async function benchEvents(senders: number, { rounds }: Rounds): Promise<Row[]> {
  const watched = watch(shippedPolicy(), manySenders(senders));
  const size = watched.state.tables.entity.size;
  const turns: Array<() => void> = [];
  const feed = createFeed({
    view: () => viewOf(watched.policy, watched.state),
    idle: () => Promise.resolve(),
    onError: (error) => {
      throw new Error("the feed failed", { cause: error });
    },
    every: (_length, work) => {
      turns.push(work);
      return () => undefined;
    },
  });
  const sizes = { plain: 0, packed: 0 };
  const counting: Viewer = {
    topics: new Set(TOPICS),
    cut: () => undefined,
    send: ({ plain, packed }) => {
      sizes.plain += plain.length;
      sizes.packed += packed.length;
    },
  };
  await feed.join(counting, undefined);
  const second = async (): Promise<void> => {
    change(watched, feed);
    for (const turn of turns) turn();
    for (let slice = 0; slice < 20; slice += 1)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  };
  await second();
  Object.assign(sizes, { plain: 0, packed: 0 });
  const alone: number[] = [];
  for (let round = 0; round < rounds; round += 1) alone.push(await longestBlockMs(second));
  const each = { plain: sizes.plain / rounds, packed: sizes.packed / rounds };
  const { sockets, close } = await viewers(feed);
  const watchedBlocks: number[] = [];
  await second();
  for (let round = 0; round < rounds; round += 1) watchedBlocks.push(await longestBlockMs(second));
  for (const socket of sockets) socket.destroy();
  await close();
  feed.close();
  return [
    {
      name: "events: bytes a second to a viewer, 1 % changed",
      size,
      ours: `${Math.round(each.packed)} B`,
      baseline: `${Math.round(each.plain)} B`,
      ratio: each.packed / each.plain,
      note: "the baseline is not compressed",
    },
    {
      name: `events: longest block of the event loop, ${VIEWERS} viewers`,
      size,
      ours: milliseconds(median(watchedBlocks)),
      baseline: milliseconds(median(alone)),
      ratio: median(watchedBlocks) / median(alone),
      note: "the baseline has one viewer; the viewers' own sockets are in the same process",
    },
  ];
}

function change({ state, now }: Watched, feed: Feed): void {
  const keys = [...(state.entitiesByKind.get("sender") ?? [])];
  const changes = keys.flatMap((key): Change[] => {
    const entity = state.tables.entity.get(key);
    if (entity === undefined || Math.random() > CHANGED_SHARE) return [];
    const active = Math.floor(Math.random() * 100);
    entity.facts = { ...entity.facts, active_swaps: active };
    return [{ table: "entity", key, value: entity }];
  });
  toEnd(feed.note({ changes, findings: [] }, now()));
}

async function viewers(
  feed: Feed,
): Promise<{ readonly sockets: readonly Socket[]; readonly close: () => Promise<void> }> {
  const app = new OpenAPIHono();
  addEvents(app, { feed });
  const { url, close } = await startServer(app, "127.0.0.1", 0);
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: VIEWERS }, async () => {
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nhost: ${hostname}\r\naccept-encoding: gzip\r\n\r\n`,
    );
    await new Promise((resolve) => {
      socket.once("data", resolve);
    });
    return socket.resume();
  });
  return { sockets: await Promise.all(sockets), close };
}
