import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { conditionOf, createCache, usableEtag } from "../../../src/io/aggregator/cache.ts";
import { createReadings } from "../../../src/io/aggregator/readings.ts";
import { exchangesPoller } from "../../../src/pollers/exchanges.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";

const decoded = (value: unknown) => ({ ok: true, value }) as const;
const body = (value: unknown, etag?: string, seenTwice = true) => ({
  fingerprint: String(value),
  decoded: decoded(value),
  etag,
  bodyAt: 0,
  seenTwice,
});
const reply = (text: string, at = 0) => ({
  status: 200,
  headers: {},
  body: text,
  at,
  isProbe: false,
});

describe("the cache", () => {
  it("is never longer than the bound, and keeps what there is rather than the next", () => {
    const cache = createCache(100);
    cache.store("a", decoded(1), reply("1".repeat(60)));
    cache.store("b", decoded(2), reply("2".repeat(60)));
    expect(cache.get("a")).toMatchObject({ decoded: { value: 1 } });
    expect(cache.get("b")).toBeUndefined();
    cache.store("a", decoded(3), reply("3".repeat(30)));
    cache.store("b", decoded(2), reply("2".repeat(60)));
    expect([cache.get("a"), cache.get("b")]).toMatchObject([
      { decoded: { value: 3 } },
      { decoded: { value: 2 } },
    ]);
  });

  it("forgets what was not requested for an hour, so that a watch list may change", () => {
    const cache = createCache(100);
    const text = "x".repeat(50);
    cache.store("old", decoded(1), reply(text));
    cache.store("used", decoded(1), reply(text));
    const used = cache.get("used");
    expect(used && cache.recognise(used, reply(text, HOUR))).toBe(true);
    cache.store("new", decoded(2), reply(text, HOUR + 1));
    expect(cache.get("old")).toBeUndefined();
    expect(cache.get("used")).toBeDefined();
    expect(cache.get("new")).toBeDefined();
  });

  it.each([10, 99_999, 100_000])(
    "knows a body of %i characters again, and none that differs in one",
    (length) => {
      const cache = createCache();
      const text = "x".repeat(length);
      cache.store("a", decoded(1), reply(text));
      const known = cache.get("a");
      const again = (body: string) => known && cache.recognise(known, reply(body));
      expect(again([...text].join(""))).toBe(true);
      expect(again(`${text.slice(1)}y`)).toBe(false);
      expect(again(text.slice(1))).toBe(false);
    },
  );

  it("takes a 304 for the body that the request was sent with, whatever came meanwhile", () => {
    const cache = createCache();
    cache.store("a", decoded(1), reply("one"));
    const known = cache.get("a");
    cache.store("a", decoded(2), reply("two"));
    const notModified = { ...reply(""), status: 304 };
    expect(known && cache.recognise(known, notModified)).toBe(true);
    expect(known?.decoded.value).toBe(1);
    expect(known && cache.recognise(known, reply("two"))).toBe(false);
  });
});

describe("a value of which a reading was made", () => {
  const value = ["BINANCE"];
  const context = { watch: NOTHING_WATCHED, statuses: DEFAULT_STATUSES };
  const source = { poller: exchangesPoller, surface: "all", context };
  const make = () => ({ ok: true, complete: true, entities: [] }) as const;
  const unexpected = () => {
    throw new Error("it was read again");
  };

  it("is dropped, so that many short bodies are known within the bound", () => {
    const cache = createCache(2_000);
    const readings = createReadings(cache.spend);
    const texts = ["a", "b", "c", "d"].map((key) => key.repeat(900));
    for (const text of texts) {
      const own = [text];
      cache.store(text, decoded(own), reply(text));
      readings.of([{ endpoint: "exchanges", value: own }], source, make);
    }
    for (const text of texts) {
      const known = cache.get(text);
      expect(known?.isSpent).toBe(true);
      expect(known && cache.recognise(known, reply(text))).toBe(true);
    }
  });

  it("is stood for by what gives the same reading, if it is read as then", () => {
    const cache = createCache();
    const readings = createReadings(cache.spend);
    cache.store("a", decoded(value), reply("text"));
    const reading = readings.of([{ endpoint: "exchanges", value }], source, make);
    const sign = cache.get("a")?.decoded.value as typeof value;
    expect(sign).not.toBe(value);
    const again = [{ endpoint: "exchanges", value: sign } as const];
    expect(readings.of(again, source, unexpected)).toBe(reading);
    expect(readings.knows(sign, source)).toBe(true);
    expect(readings.knows(sign, { ...source, surface: "other" })).toBe(false);
    const watch = { ...NOTHING_WATCHED };
    expect(readings.knows(sign, { ...source, context: { ...context, watch } })).toBe(false);
  });

  it.each([
    ["it is one of several of its surface", { items: undefined, replies: 2 }],
    [
      "its body is long, and compared item by item with the next",
      { items: { body: "text", lists: [] }, replies: 1 },
    ],
  ])("is kept if %s", (_, { items, replies: count }) => {
    const cache = createCache();
    const readings = createReadings(cache.spend);
    cache.store("a", { ...decoded(value), ...(items && { items }) }, reply("text"));
    const replies = Array.from(
      { length: count },
      () => ({ endpoint: "exchanges", value }) as const,
    );
    readings.of(replies, source, make);
    expect(cache.get("a")?.decoded.value).toBe(value);
    expect(cache.get("a")?.isSpent).toBeUndefined();
  });

  it("is kept if a newer body has come meanwhile", () => {
    const cache = createCache();
    const readings = createReadings(cache.spend);
    cache.store("a", decoded(value), reply("text"));
    const newer = ["OKX"];
    cache.store("a", decoded(newer), reply("newer"));
    readings.of([{ endpoint: "exchanges", value }], source, make);
    expect(cache.get("a")?.decoded.value).toBe(newer);
  });
});

describe("the readings", () => {
  const value = ["BINANCE"];
  const replies = [{ endpoint: "exchanges", value } as const];
  const context = { watch: NOTHING_WATCHED, statuses: DEFAULT_STATUSES };
  const source = { poller: exchangesPoller, surface: "all", context };
  const make = () => ({ ok: true, complete: true, entities: [] }) as const;

  it("are the same object for the same values in the same context", () => {
    const readings = createReadings();
    const reading = readings.of(replies, source, make);
    expect(readings.of([...replies], source, make)).toBe(reading);
  });

  it.each([
    [[{ endpoint: "exchanges", value: [...value] } as const], source],
    [[{ endpoint: "pairs", value } as const], source],
    [[...replies, ...replies], source],
    [[{ ...replies[0], malformed: { count: 1, shown: [] } }], source],
    [replies, { ...source, surface: "other" }],
    [replies, { ...source, poller: { ...exchangesPoller } }],
    [replies, { ...source, context: { ...context, watch: { ...NOTHING_WATCHED } } }],
    [replies, { ...source, context: { ...context, statuses: { ...DEFAULT_STATUSES } } }],
  ])("are made again if something differs (%#)", (others, other) => {
    const readings = createReadings();
    const reading = readings.of(replies, source, make);
    expect(readings.of(others as never, other, make)).not.toBe(reading);
  });
});

describe("a condition", () => {
  it("is the tag, until the whole body is due", () => {
    expect(conditionOf(body(1, '"x"'), 5 * MINUTE - 1)).toBe('"x"');
    expect(conditionOf(body(1, '"x"'), 5 * MINUTE)).toBeUndefined();
    expect(conditionOf(undefined, 0)).toBeUndefined();
  });

  it("is none for a body that came only once", () => {
    expect(conditionOf(body(1, '"x"', false), 0)).toBeUndefined();
  });

  it.each(['"abc"', 'W/"abc"', '""'])("may be %s", (tag) => {
    expect(usableEtag(tag)).toBe(tag);
  });

  it.each([undefined, "abc", '"a"b"', '"a b"', "*", `"${"x".repeat(300)}"`])(
    "is never %s",
    (tag) => {
      expect(usableEtag(tag)).toBeUndefined();
    },
  );
});
