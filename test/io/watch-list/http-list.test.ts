import { afterEach, describe, expect, it, vi } from "vitest";
import type { Result } from "../../../src/domain/result.ts";
import { DAY, MINUTE } from "../../../src/domain/time.ts";
import { LONGEST_LIST } from "../../../src/domain/watch.ts";
import { pollHttpList, type HttpList } from "../../../src/io/watch-list/http-list.ts";
import { sendJson, startServer, type Handler, type LocalServer } from "../local-server.ts";

const servers: LocalServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Asks until so many answers have come. */
async function ask(
  handler: Handler,
  count: number,
  settings: Partial<HttpList> = {},
  onFirst: () => void = () => undefined,
) {
  const server = await startServer(handler);
  servers.push(server);
  const ending = new AbortController();
  const bodies: Array<Result<string, string>> = [];
  const list = {
    name: "desks",
    url: `${server.baseUrl}/list?of=desks`,
    everyMs: 1,
    timeoutMs: MINUTE,
    auth: { type: "none" } as const,
    ...settings,
  };
  await pollHttpList(list, ending.signal, (body) => {
    bodies.push(body);
    if (bodies.length === 1) onFirst();
    if (bodies.length === count) ending.abort();
  });
  return { bodies, server };
}

describe("a list over HTTP", () => {
  it("is asked for again and again, with its own credential alone", async () => {
    const auth = { auth: { type: "bearer", token: "list-token" } } as const;
    const { bodies, server } = await ask((_, response) => sendJson(response, []), 2, auth);
    expect(bodies).toEqual([
      { ok: true, value: "[]" },
      { ok: true, value: "[]" },
    ]);
    expect(server.seen[0]).toMatchObject({
      method: "GET",
      url: "/list?of=desks",
      headers: { authorization: "Bearer list-token" },
    });
  });

  it("is asked for again after a month, though a timer cannot wait for so long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    try {
      const from = Date.now();
      const first = Promise.withResolvers<void>();
      const month = { everyMs: 30 * DAY };
      const asking = ask((_, response) => sendJson(response, []), 2, month, first.resolve);
      await first.promise;
      await vi.advanceTimersToNextTimerAsync();
      await vi.advanceTimersToNextTimerAsync();
      expect(Date.now() - from).toBe(30 * DAY);
      expect((await asking).bodies).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[string, Handler, string]>([
    ["an error", (_, response) => sendJson(response, [], 503), "status 503 instead of 200"],
    [
      "a redirect, which is not followed",
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      "status 302 instead of 200",
    ],
    ["a connection that breaks", (_, response) => response.destroy(), "the connection broke"],
    [
      "a body that repeats the credential",
      (seen, response) => sendJson(response, [seen.headers.authorization]),
      "the body repeats a secret",
    ],
    [
      "a body without end",
      (_, response) => response.end("x".repeat(LONGEST_LIST + 1)),
      `the body is larger than ${LONGEST_LIST} bytes`,
    ],
  ])("gives a problem for %s, and is asked for again", async (_what, handler, problem) => {
    const { bodies } = await ask(handler, 2, { auth: { type: "bearer", token: "list-token" } });
    expect(bodies).toHaveLength(2);
    for (const body of bodies) expect(body.ok ? "" : body.problem).toContain(problem);
  });
});
