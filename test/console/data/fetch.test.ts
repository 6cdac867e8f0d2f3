import { afterEach, describe, expect, it, vi } from "vitest";
import { isPassing, read, readText, write } from "../../../src/console/data/fetch.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

type Reply = Response | Error | (() => Response);

/** Answers the requests in turn, the last one again and again; gives the requests. */
function answering(...replies: readonly Reply[]) {
  const asked: Array<{ readonly path: string } & RequestInit> = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    asked.push({ path, ...init });
    const reply = replies[Math.min(asked.length, replies.length) - 1];
    if (reply instanceof Error) throw reply;
    return typeof reply === "function" ? reply() : reply;
  });
  return asked;
}

const busy = () =>
  Response.json({ error: "busy" }, { status: 503, headers: { "retry-after": "1" } });
const page = (status: number, type = "text/html") =>
  new Response("<h1>Sign in</h1>", { status, headers: { "content-type": type } });

describe("an answer for the console", () => {
  it("has the instant of the daemon's clock at which it was given, if the reply says one", async () => {
    const date = "Fri, 02 Jan 2026 03:04:05 GMT";
    answering(Response.json({ a: 1 }, { headers: { date } }), Response.json({ a: 2 }));
    expect(await read("api/v1/x")).toEqual({ ok: true, value: { a: 1 }, at: Date.parse(date) });
    expect(await read("api/v1/x")).toEqual({ ok: true, value: { a: 2 }, at: undefined });
  });

  it.each([200, 401, 502])("is not a page of a proxy, with status %i", async (status) => {
    answering(() => page(status));
    const none = {
      ok: false,
      status: undefined,
      problem: `something between here and aggwatch answered with status ${status}`,
    };
    expect(await read("api/v1/x")).toEqual(none);
    expect(await readText("api/v1/x")).toEqual(none);
  });

  it("is a text if it comes as Markdown, and a refusal if it comes as JSON", async () => {
    answering(
      page(200, "text/markdown; charset=utf-8"),
      Response.json({ error: "there is no such alert" }, { status: 404 }),
    );
    expect(await readText("api/v1/x")).toMatchObject({ ok: true, value: "<h1>Sign in</h1>" });
    expect(await readText("api/v1/x")).toMatchObject({
      status: 404,
      problem: "there is no such alert",
    });
  });

  it.each([
    [{ error: "no" }, "no"],
    [{ error: "no", problems: ["one", "two"] }, "no; one; two"],
    [{ problems: "one" }, "one"],
    [null, ""],
  ])("that refuses has every problem in its text: %j", async (body, problem) => {
    answering(Response.json(body, { status: 400 }));
    expect(await read("api/v1/x")).toMatchObject({ ok: false, status: 400, problem });
  });

  it("says why there is none", async () => {
    answering(new DOMException("", "TimeoutError"), new TypeError("Load failed"));
    expect(await read("api/v1/x")).toMatchObject({
      status: undefined,
      problem: "aggwatch did not answer within 15 s",
    });
    expect(await read("api/v1/x")).toMatchObject({
      status: undefined,
      problem: "aggwatch cannot be reached",
    });
  });

  it("may be another one later if none came, or if the daemon failed", () => {
    const refused = { ok: false, problem: "" } as const;
    expect(isPassing({ ...refused, status: undefined })).toBe(true);
    expect(isPassing({ ...refused, status: 500 })).toBe(true);
    expect(isPassing({ ...refused, status: 499 })).toBe(false);
    expect(isPassing({ ok: true, value: {}, at: undefined })).toBe(false);
  });
});

describe("a daemon that is busy", () => {
  it("is asked until it answers, for whoever waits for that", async () => {
    vi.useFakeTimers();
    const asked = answering(busy, busy, () => Response.json({ a: 1 }));
    const answer = read("api/v1/x", new AbortController().signal);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_001);
    expect(await answer).toMatchObject({ ok: true, value: { a: 1 } });
    expect(asked).toHaveLength(3);
  });

  it("is not asked again for one who left", async () => {
    vi.useFakeTimers();
    const asked = answering(busy);
    const leaving = new AbortController();
    const answer = read("api/v1/x", leaving.signal);
    await vi.advanceTimersByTimeAsync(0);
    leaving.abort();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await answer).toMatchObject({ isBusy: true });
    expect(asked).toHaveLength(1);
  });

  it("is not taken for one that fails, and is asked once if no view waits", async () => {
    const headers = { "retry-after": "1" };
    const asked = answering(
      busy,
      () => Response.json({ error: "full" }, { status: 503 }),
      () => Response.json({ error: "too many wrong tokens" }, { status: 429, headers }),
    );
    const { signal } = new AbortController();
    expect(await read("api/v1/x")).toMatchObject({ status: 503, isBusy: true });
    expect(await read("api/v1/x", signal)).toMatchObject({ status: 503, isBusy: false });
    expect(await read("api/v1/x", signal)).toMatchObject({ status: 429, isBusy: false });
    expect(asked).toHaveLength(3);
  });
});

it.each(["who asked leaves", "it takes too long"])("gives a request up if %s", async (why) => {
  const [leaving, late] = [new AbortController(), new AbortController()];
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
  const asked = answering(Response.json({}));
  await read("api/v1/x", leaving.signal);
  expect(asked[0]?.signal?.aborted).toBe(false);
  (why === "who asked leaves" ? leaving : late).abort();
  expect(asked[0]?.signal?.aborted).toBe(true);
});

it("writes once, with the token as a header of that request alone, and follows no redirect", async () => {
  const asked = answering(() => Response.json({}));
  await write("POST", "api/v1/kill", "t0ken", { reason: "why" });
  await write("DELETE", "api/v1/kill", "t0ken");
  await read("api/v1/x");
  const own = { redirect: "error", credentials: "same-origin" };
  expect(asked).toMatchObject([
    {
      ...own,
      path: "./api/v1/kill",
      method: "POST",
      headers: { authorization: "Bearer t0ken", "content-type": "application/json" },
      body: '{"reason":"why"}',
      cache: "no-store",
    },
    { ...own, method: "DELETE", body: null },
    { ...own, cache: "no-cache" },
  ]);
  expect(asked[1]?.headers).toEqual({ authorization: "Bearer t0ken" });
  expect(asked[2]?.headers).toBeUndefined();
});
