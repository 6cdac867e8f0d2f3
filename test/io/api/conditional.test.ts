/** Tests src/io/api/conditional.ts, over real HTTP. */
import { gunzipSync } from "node:zlib";
import { request } from "node:http";
import { afterEach, expect, it } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import type { RunningServer } from "../../../src/io/http/listen.ts";
import { scriptedWorld, START } from "../../core/world.ts";
import { eventfulWorld, sourceOf } from "./server-fixture.ts";

let server: RunningServer | undefined;

afterEach(async () => server?.close());

type Reply = { status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer };

/** As it is on the wire: `fetch` would unpack it. */
function get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server?.url}${path}`, { headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

it("says 304 to who has the answer already, though time has passed, until it is another", async () => {
  const world = eventfulWorld();
  server = await startServer(createApp(sourceOf(world)), "127.0.0.1", 0);
  const path = "/api/v1/alerts";
  const first = await get(path);
  const etag = String(first.headers["etag"]);
  expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
  world.state.at += 1_000;
  const again = await get(path, { "if-none-match": `"x", ${etag}` });
  expect([again.status, again.body.length, again.headers["etag"]]).toEqual([304, 0, etag]);
  world.state.tables.alert.clear();
  const changed = await get(path, { "if-none-match": etag });
  expect(changed.status).toBe(200);
  expect(changed.headers["etag"]).not.toBe(etag);
});

it("takes the span of an answer, which moves with time, for no change", async () => {
  const world = scriptedWorld({ rules: [] });
  server = await startServer(createApp(sourceOf(world)), "127.0.0.1", 0);
  for (const name of ["pollers", "timeline", "status", "overview"]) {
    const path = `/api/v1/${name}`;
    const etag = String((await get(path)).headers["etag"]);
    world.now += 1_000;
    world.state.at += 1_000;
    expect([name, (await get(path, { "if-none-match": etag })).status]).toEqual([name, 304]);
  }
});

it("takes the instant of a finding for a change", async () => {
  let at = START;
  const finding = { type: "kill", source: "operator", on: true, detail: "d" } as const;
  const source = sourceOf(eventfulWorld(), {
    findings: () => [{ at, finding }],
    past: {
      ...sourceOf(eventfulWorld()).past,
      between: () => ({ found: [{ at, finding, seq: 1 }], next: undefined }),
    },
  });
  server = await startServer(createApp(source), "127.0.0.1", 0);
  for (const path of ["/api/v1/findings?limit=1", "/api/v1/timeline"]) {
    const etag = String((await get(path)).headers["etag"]);
    expect([path, (await get(path, { "if-none-match": etag })).status]).toEqual([path, 304]);
    at += 1;
    expect([path, (await get(path, { "if-none-match": etag })).status]).toEqual([path, 200]);
  }
});

it("says by the daemon's own clock when an answer was given, also if it is unchanged", async () => {
  let now = START + 3_600_000;
  const source = sourceOf(eventfulWorld(), { now: () => now });
  server = await startServer(createApp(source), "127.0.0.1", 0);
  for (const path of ["/api/v1/overview", "/api/v1/alerts"]) {
    const first = await get(path);
    expect(first.headers["date"]).toBe(new Date(now).toUTCString());
    now += 60_000;
    const again = await get(path, { "if-none-match": String(first.headers["etag"]) });
    expect([again.status, again.headers["date"]]).toEqual([304, new Date(now).toUTCString()]);
  }
});

it("compresses what is large, for who takes that", async () => {
  server = await startServer(createApp(sourceOf(eventfulWorld())), "127.0.0.1", 0);
  const plain = await get("/api/v1/status");
  const packed = await get("/api/v1/status", { "accept-encoding": "gzip, br" });
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(packed.headers["content-encoding"]).toBe("gzip");
  expect(packed.headers["vary"]).toBe("Accept-Encoding");
  expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  expect(packed.body.length).toBeLessThan(plain.body.length / 3);
  const small = await get("/api/v1/watch", { "accept-encoding": "gzip" });
  expect(small.headers["content-encoding"]).toBeUndefined();
});

it("keeps the headers that every answer has, and touches no refusal", async () => {
  server = await startServer(createApp(sourceOf(eventfulWorld())), "127.0.0.1", 0);
  const { headers } = await get("/api/v1/alerts");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  const refused = await get("/api/v1/alerts?limit=x");
  expect([refused.status, refused.headers["etag"]]).toEqual([400, undefined]);
});

it("is written and compressed once for all who look before anything else has happened", async () => {
  const world = eventfulWorld();
  let read = 0;
  const source = sourceOf(world);
  const polls: typeof source.polls = {
    of: (...asked) => {
      read += 1;
      return source.polls.of(...asked);
    },
  };
  server = await startServer(createApp({ ...source, polls }), "127.0.0.1", 0);
  const path = "/api/v1/pollers";
  const first = await get(path, { "accept-encoding": "gzip" });
  const once = read;
  expect(once).toBeGreaterThan(0);
  const many = await Promise.all(
    Array.from({ length: 50 }, () => get(path, { "accept-encoding": "gzip" })),
  );
  expect(read).toBe(once);
  for (const { body } of many) expect(body.equals(first.body)).toBe(true);
  // To each as it takes it, and to another question its own answer.
  const plain = await get(path);
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.body.equals(gunzipSync(first.body))).toBe(true);
  const known = await get(path, { "if-none-match": String(first.headers["etag"]) });
  expect([known.status, known.body.length]).toEqual([304, 0]);
  expect((await get(`${path}?aggregator=none`)).body.equals(plain.body)).toBe(false);
  // Once something has happened, it is made again.
  const before = read;
  world.state.at += 1;
  await get(path);
  expect(read).toBeGreaterThan(before);
});

it("is made again if only its age, a notice or its rows are others, at the same instant", async () => {
  const world = eventfulWorld();
  let replica = "standby: b. What is shown was read from the database 0s ago.";
  let notices: readonly string[] = [];
  let rows: ReturnType<ServerSource["view"]>["entities"] = new Map();
  let now = world.now;
  const source = sourceOf(world, {
    replica: () => replica,
    notices: () => notices,
    now: () => now,
  });
  const view: ServerSource["view"] = () => ({ ...source.view(), entities: rows });
  server = await startServer(createApp({ ...source, view }), "127.0.0.1", 0);
  const overview = async (): Promise<Record<string, unknown>> => {
    // The counts of an overview are good for a second.
    now += 1_000;
    return JSON.parse((await get("/api/v1/overview")).body.toString()) as Record<string, unknown>;
  };
  const first = await overview();
  expect(first).toMatchObject({ replica, notices });
  replica = replica.replace("0s", "1m");
  expect(await overview()).toMatchObject({ replica });
  notices = ["the database cannot be used: it is away"];
  expect(await overview()).toMatchObject({ notices });
  rows = source.view().entities;
  expect((await overview())["aggregators"]).not.toEqual(first["aggregators"]);
});

it("is made once for all who ask at the same moment, and again for each if it cannot be made", async () => {
  const source = sourceOf(eventfulWorld());
  let [read, isBroken] = [0, false];
  const polls: typeof source.polls = {
    of: (...asked) => {
      read += 1;
      if (isBroken) throw new Error("a bug");
      return source.polls.of(...asked);
    },
  };
  // As while a long event is under way: they wait for its end, and go on together.
  const together = Promise.withResolvers<undefined>();
  let waiting = 0;
  const idle = async (): Promise<void> => {
    waiting += 1;
    if (waiting === 50) together.resolve(undefined);
    await together.promise;
  };
  server = await startServer(createApp({ ...source, polls, idle }), "127.0.0.1", 0);
  const ask = (query: string) =>
    Promise.all(Array.from({ length: 50 }, () => get(`/api/v1/pollers?${query}`)));
  const all = await ask("span=1h");
  expect(new Set(all.map(({ body }) => body.toString())).size).toBe(1);
  const once = read;
  await get("/api/v1/pollers?span=2h");
  // As many as one alone takes.
  expect(read - once).toBe(once);

  isBroken = true;
  const refused = await ask("span=3h");
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([500]));
  isBroken = false;
  expect((await get("/api/v1/pollers?span=3h")).status).toBe(200);
});
