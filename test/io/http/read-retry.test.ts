import { describe, expect, test } from "vitest";
import type { Failure } from "../../../src/domain/http.ts";
import { FAILURE_REASONS } from "../../../src/domain/http.ts";
import { fail, succeed, type Result } from "../../../src/domain/result.ts";
import { isRetryable, retryDelayMs, retryRead } from "../../../src/io/http/read-retry.ts";
import { smoothInterval } from "../../../src/io/aggregator/slots.ts";
import {
  errorReason,
  failureOfReply,
  parseRetryAfter,
} from "../../../src/io/http/reply-failure.ts";

const failure = (more: Partial<Failure> = {}): Failure => ({
  reason: "timeout",
  message: "",
  ...more,
});
const retries = { limit: 5, firstDelayMs: 100, longestDelayMs: 1_000 };

describe("isRetryable", () => {
  test("asks again only if the failure may pass by itself", () => {
    const retried = FAILURE_REASONS.filter((reason) => isRetryable(failure({ reason })));
    expect(retried).toEqual(["timeout", "connect"]);
    const statuses = [301, 400, 401, 403, 404, 408, 422, 429, 500, 503, 599];
    expect(statuses.filter((status) => isRetryable(failure({ reason: "status", status })))).toEqual(
      [408, 429, 500, 503, 599],
    );
  });
});

describe("retryDelayMs", () => {
  test("doubles up to its bound, with half of it as jitter", () => {
    const at = (attempt: number, random: number) =>
      retryDelayMs(attempt, failure(), retries, () => random);
    expect([1, 2, 3, 4, 5, 9].map((attempt) => at(attempt, 0))).toEqual([
      50, 100, 200, 400, 500, 500,
    ]);
    expect([1, 2, 9].map((attempt) => at(attempt, 1))).toEqual([100, 200, 1_000]);
  });

  test("is shorter after one that was held back, so that it goes before those that were refused", () => {
    const asked = failure({ retryAfterMs: 3_000 });
    const held = retryDelayMs(0, asked, retries, () => 0.999);
    expect(held).toBeLessThanOrEqual(retryDelayMs(1, asked, retries, () => 0));
  });

  test("is never shorter than the server asked for", () => {
    const asked = failure({ retryAfterMs: 3_000 });
    expect(retryDelayMs(1, asked, retries, () => 0)).toBeGreaterThanOrEqual(3_000);
  });
});

describe("retryRead", () => {
  /** Gives the answers in turn, the last again and again, to one who does not wait in between. */
  async function read(
    answers: ReadonlyArray<Result<string, Failure>>,
    signal = new AbortController().signal,
    onAsked: (times: number) => void = () => undefined,
  ) {
    let asked = 0;
    const result = await retryRead(
      () => {
        asked += 1;
        onAsked(asked);
        return Promise.resolve(answers[asked - 1] ?? fail(failure({ message: "too often" })));
      },
      {
        retries: { limit: 2, firstDelayMs: 0, longestDelayMs: 0 },
        signal,
        deadlineAt: undefined,
        clock: { now: () => 0 },
        random: () => 0,
      },
    );
    return { asked, result };
  }
  const [first, second, third] = [1, 2, 3].map((attempt) =>
    fail(failure({ message: String(attempt) })),
  ) as [Result<string, Failure>, Result<string, Failure>, Result<string, Failure>];

  test.each([
    ["the first answer is good", [succeed("a")]],
    ["the second is", [first, succeed("b")]],
    ["the last is", [first, second, succeed("c")]],
    ["none is", [first, second, third]],
    ["the failure will not pass", [fail(failure({ reason: "mismatch" }))]],
    ["a later one will not", [first, fail(failure({ reason: "mismatch" }))]],
  ])("asks until it knows if %s", async (_what, answers) => {
    expect(await read(answers)).toEqual({ asked: answers.length, result: answers.at(-1) });
  });

  test.each([
    [1_000, 7],
    [undefined, 3],
  ])("counts no try that was held back, if it has a deadline: %s", async (deadlineAt, expected) => {
    let tries = 0;
    await retryRead(() => Promise.resolve(fail(failure({ message: String((tries += 1)) }))), {
      retries: { limit: 2, firstDelayMs: 0, longestDelayMs: 0 },
      signal: new AbortController().signal,
      deadlineAt,
      clock: { now: () => 0 },
      random: () => 0,
      wasHeld: () => tries <= 4,
    });
    expect(tries).toBe(expected);
  });

  test("asks nothing if it was given up before", async () => {
    const { asked, result } = await read([succeed("a")], AbortSignal.abort());
    expect([asked, result.ok]).toEqual([0, false]);
  });

  test("gives the good answer of a retry during which it was given up", async () => {
    const stopping = new AbortController();
    const stop = (times: number): void => {
      if (times === 2) stopping.abort("over");
    };
    const { result } = await read([first, succeed("b")], stopping.signal, stop);
    expect(result).toEqual(succeed("b"));
  });
});

describe("parseRetryAfter", () => {
  const now = Date.UTC(2026, 0, 1, 12);
  test.each([
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["0", 0],
    ["120", 120_000],
    ["999999999", 3_600_000],
    ["99999999999", 3_600_000],
    ["9".repeat(400), 3_600_000],
    [" 120 ", 120_000],
    ["1.0005", 1_001],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
    ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  ])("reads %j as %j ms", (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});

describe("errorReason", () => {
  test.each([
    [
      '{"error":{"code":1001,"reason":"Order not found"},"timestamp":"now"}',
      "Order not found (code 1001)",
    ],
    ['{"error":{"reason":"a\\nb"}}', "a b"],
    ['{"error":{"code":1}}', undefined],
    ['{"error":"text"}', undefined],
    ["<html>", undefined],
    ["", undefined],
  ])("reads %s as %j", (body, expected) => {
    expect(errorReason(body)).toBe(expected);
  });
});

describe("smoothInterval", () => {
  test.each([
    [0.5, 2_000, 1],
    [1, 1_000, 1],
    [50, 20, 1],
    [100, 10, 1],
    [150, 7, 1],
    [500, 10, 5],
  ])("splits %d a second into intervals of %d ms with %d requests", (rate, intervalMs, cap) => {
    expect(smoothInterval(rate)).toEqual({ intervalMs, cap });
    expect((cap / intervalMs) * 1_000).toBeLessThanOrEqual(rate);
  });
});

describe("the failure of a reply", () => {
  const failureOf = (status: number, text: string): string =>
    failureOfReply({ status, headers: {}, body: text }, 0, (said) => said).message;

  test("of a 404 that does not say why names what is wrong most often", () => {
    const message = "status 404: it knows no such thing, or base_url is wrong";
    expect(failureOf(404, "")).toBe(message);
    expect(failureOf(404, "<html>Not Found</html>")).toBe(message);
  });

  test("is what the aggregator says where it says why, and no guess", () => {
    expect(failureOf(404, '{"error":{"reason":"no such order"}}')).toBe(
      "status 404: no such order",
    );
    expect(failureOf(500, "")).toBe("status 500");
  });
});
