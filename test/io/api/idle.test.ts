/** Tests src/io/api/server.ts: what it answers while an event is being handled. */
import { expect, it } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { eventfulWorld, sourceOf } from "./server-fixture.ts";

it("answers from whole state alone, and says at once if it is healthy and ready", async () => {
  const idle = Promise.withResolvers<void>();
  const order: string[] = [];
  const app = createApp(sourceOf(eventfulWorld(), { idle: () => idle.promise }));
  const asked = ["/api/v1/status", "/readyz", "/healthz"].map(async (path) => {
    const { status } = await app.request(path);
    order.push(`${path} ${status}`);
  });
  await Promise.all(asked.slice(1));
  expect(order).toEqual(["/readyz 200", "/healthz 200"]);
  idle.resolve();
  await Promise.all(asked);
  expect(order.toSorted()).toEqual(["/api/v1/status 200", "/healthz 200", "/readyz 200"]);
});

it("leaves it to a scrape to wait, which has its own turn among the events", async () => {
  const app = createApp(sourceOf(eventfulWorld(), { idle: () => new Promise(() => undefined) }));
  expect(await (await app.request("/metrics")).text()).toBe("a_metric 1\n");
});

it("gives a browser the console at once, as that tells nothing of the state", async () => {
  const app = createApp(sourceOf(eventfulWorld(), { idle: () => new Promise(() => undefined) }));
  const html = await (await app.request("/")).text();
  const paths = [...html.matchAll(/(?:href|src)="\.(\/console\/[^"]+)"/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) expect((await app.request(path ?? "")).status, path).toBe(200);
});

it.each([
  ["/api/v1/status", "id59999"],
  ["/plain", "more, in /api/v1/status"],
])("answers others while it makes a long answer: %s", async (path, part) => {
  const world = eventfulWorld();
  const { entity } = world.state.tables;
  const one = entity.values().find(({ kind }) => kind === "pool");
  if (one === undefined) throw new Error("nothing is watched");
  for (let index = 0; index < 60_000; index += 1)
    entity.set(`bsc/pool/${index}`, { ...one, id: `id${index}` });
  const app = createApp(sourceOf(world));
  const making = { isDone: false };
  const answer = (async () => {
    const reply = await app.request(path);
    making.isDone = true;
    return await reply.text();
  })();
  let others = 0;
  for (; !making.isDone; others += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await new Promise(setImmediate);
    // oxlint-disable-next-line no-await-in-loop -- the same
    expect((await app.request("/healthz")).status).toBe(200);
  }
  expect(others).toBeGreaterThan(5);
  expect(await answer).toContain(part);
});

it("waits once for the overview of many, and not for each event that begins while it counts", async () => {
  const world = eventfulWorld();
  const own = sourceOf(world);
  const one = world.state.tables.entity.values().find(({ kind }) => kind === "pool");
  if (one === undefined) throw new Error("nothing is watched");
  const entities = new Map(Array.from({ length: 200_000 }, (_, index) => [`${index}`, one]));
  let waited = 0;
  // The next event begins at once, and does not end.
  const idle = async (): Promise<void> => {
    waited += 1;
    if (waited > 1) await new Promise(() => undefined);
  };
  const app = createApp({ ...own, idle, view: () => ({ ...own.view(), entities }) });
  const answer = await app.request("/api/v1/overview");
  expect(await answer.text()).toMatch('"total":200000');
});
