import { beforeEach, describe, expect, it } from "vitest";
import type { HttpRequest } from "../../../src/domain/http.ts";
import { succeed } from "../../../src/domain/result.ts";
import { createLimiter } from "../../../src/io/aggregator/limiter.ts";
import {
  createRequestSender,
  PAUSED,
  type RequestSender,
} from "../../../src/io/aggregator/request-sender.ts";
import { PRIORITY } from "../../../src/io/aggregator/slots.ts";
import type { Outgoing } from "../../../src/io/http/http-send.ts";
import { never, TEST_SETTINGS } from "./client-fixture.ts";

/** Tests src/io/aggregator/request-sender.ts: what it hands on to be sent, and what not. */

const ENDPOINT = "exchanges";
const reading = { purpose: "read", priority: PRIORITY.poll, signal: never } as const;
const acting = { purpose: "act", priority: PRIORITY.act, signal: never } as const;
const toggle: HttpRequest = {
  method: "POST",
  path: "/api/v1/exchange/toggle/OKX",
  query: {},
  headers: {},
};
const list: HttpRequest = { ...toggle, method: "GET", path: "/api/v1/exchange/list" };

let sent: Outgoing[] = [];
let status = 200;
let sender: RequestSender;

beforeEach(() => {
  sent = [];
  status = 200;
  const clock = { now: () => 1_000_000 };
  const rate = { requestsPerSecond: 1_000, concurrency: 4 };
  sender = createRequestSender(
    {
      ...TEST_SETTINGS,
      baseUrl: "http://127.0.0.1/backend",
      auth: {
        read: { type: "bearer", token: "read-token" },
        act: { type: "header", name: "X-API-KEY", value: "act-key" },
      },
      rate,
    },
    createLimiter(rate, { clock, longestPauseMs: 60_000 }),
    clock,
    () => ({
      send: async (outgoing) => {
        sent.push(outgoing);
        return await Promise.resolve(succeed({ status, headers: {}, body: "" }));
      },
      close: () => undefined,
    }),
  );
});

describe("a request", () => {
  it("carries the credential of its purpose alone, also over a header of the same name", async () => {
    await sender.send({ ...list, headers: { Authorization: "own" } }, reading);
    await sender.send({ ...toggle, headers: { "X-Api-Key": "own", "X-A": "b" } }, acting);
    expect(sent.map(({ headers }) => headers)).toEqual([
      { authorization: "Bearer read-token" },
      { "x-api-key": "act-key", "x-a": "b" },
    ]);
  });

  it("is JSON if it has a body, unless its own headers say what it is", async () => {
    const body = { a: 1 };
    await sender.send({ ...toggle, body }, acting);
    await sender.send({ ...toggle, body, headers: { "Content-Type": "text/x" } }, acting);
    await sender.send(toggle, acting);
    expect(sent.map((one) => [one.headers["content-type"], one.body])).toEqual([
      ["application/json", '{"a":1}'],
      ["text/x", '{"a":1}'],
      [undefined, undefined],
    ]);
  });

  it("of a poll is not sent while its endpoint is paused, and others are", async () => {
    status = 429;
    await sender.send(list, { ...reading, endpoint: ENDPOINT });
    const poll = await sender.send(list, { ...reading, endpoint: ENDPOINT });
    expect([sent.length, poll]).toEqual([1, { ok: false, problem: PAUSED }]);
    await sender.send(list, { ...reading, endpoint: "pools" });
    await sender.send(list, { ...reading, priority: PRIORITY.probe, endpoint: ENDPOINT });
    await sender.send(toggle, { ...acting, endpoint: ENDPOINT });
    expect(sent).toHaveLength(4);
  });
});
