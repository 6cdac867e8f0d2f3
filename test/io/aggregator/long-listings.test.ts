/** Tests src/io/aggregator/reader.ts: long listings are read alike, whatever was known of the one before. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import { emptyState } from "../../../src/core/state.ts";
import { step } from "../../../src/core/step.ts";
import { LONG_LIST } from "../../../src/domain/lists/changed-items.ts";
import type { SurfaceReading } from "../../../src/domain/observation.ts";
import type { Json } from "../../../src/domain/result.ts";
import { toEnd } from "../../../src/domain/slices.ts";
import type { Event } from "../../../src/domain/step.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { createClient } from "../../../src/io/aggregator/client.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import { exchangesPoller } from "../../../src/pollers/exchanges.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { poolsPoller } from "../../../src/pollers/pools.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import { createSourceWriter } from "../../../src/record/source-writer.ts";
import { AGGREGATOR, factIs, policyOf, rule } from "../../core/fixtures.ts";
import { START } from "../../core/world.ts";
import { never, TEST_SETTINGS } from "./client-fixture.ts";

const ITEMS = LONG_LIST + 20;

/** An item of the body, which no field that is read makes as long as that of a real deployment. */
function item(index: number, amount: Json = index): Record<string, Json> {
  const names = { factory: "F", pair: `P${index}-USDT`, exchange: "E", assetPair: `P${index}` };
  return { ...names, a: amount, p: 1, note: "x".repeat(200) };
}

/** What may become of a listing, given as its items' JSON. */
type Edit = (items: readonly string[]) => readonly string[];

const place = fc.nat({ max: ITEMS - 1 });
const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.constant((items: readonly string[]) => items),
  fc.tuple(place, fc.oneof(fc.nat(), fc.constant(-0), fc.constant("12"))).map(([at, amount]) => {
    const text = JSON.stringify(item(at, amount));
    return (items: readonly string[]) => items.with(at % items.length, text);
  }),
  place.map((at) => (items: readonly string[]) => items.toSpliced(at, 1)),
  place.map(
    (at) => (items: readonly string[]) => items.toSpliced(at, 0, JSON.stringify(item(ITEMS + at))),
  ),
  place.map((at) => (items: readonly string[]) => [...items.slice(at), ...items.slice(0, at)]),
  place.map((at) => (items: readonly string[]) => [...items, items[at % items.length] ?? "null"]),
  fc.constant((items: readonly string[]) => items.toReversed()),
  fc.constant((items: readonly string[]) => items.slice(0, 3)),
  // What is hostile: other facts of the same name, keys twice, huge numbers, names that are none, other shapes.
  place.map((at) => (items: readonly string[]) => [...items, JSON.stringify(item(at, 777))]),
  ...[
    '"__proto__":{}',
    '"a":5',
    '"a":12345678901234567890123',
    '"a":1e999',
    '"pair":"A\\u0000B","assetPair":"A\\u0000B"',
    '"a":{"deep":[[]]}',
  ].map((field) =>
    place.map((at) => (items: readonly string[]) => {
      const text = items[at % items.length] ?? "{}";
      return items.with(at % items.length, `${text.slice(0, -1)},${field}}`);
    }),
  ),
  fc.constant((items: readonly string[]) => [...items, "null"]),
);

/** What may become of the text of a whole body. */
const garbled: fc.Arbitrary<(body: string) => string> = fc.oneof(
  { weight: 8, arbitrary: fc.constant((body: string) => body) },
  fc.constantFrom<(body: string) => string>(
    (body) => `\uFEFF${body}`,
    (body) => body.slice(0, -20),
    (body) => body.replaceAll(",", " ,\n "),
  ),
);

const replies = fc.array(fc.tuple(edits, garbled, fc.boolean()), { minLength: 2, maxLength: 12 });

const POLLERS = {
  pools: { poller: poolsPoller, wrap: (list: string) => list },
  exchanges: {
    poller: exchangesPoller,
    wrap: (list: string) => `{"exchanges":[],"pairs":${list}}`,
  },
} as const;

/**
 * Of two watchdogs that are answered alike, one takes over what it knows of the listing before, and the other reads each
 * as if it were the first. A client that is answered with the bodies, and remembers what it read before, unless it begins again.
 */
function createWatchdog(name: keyof typeof POLLERS, remembers: boolean) {
  const { poller } = POLLERS[name];
  let body = "";
  const profile = compileProfile({});
  if (!profile.ok) throw new Error("the default profile does not compile");
  const clock = { now: () => START };
  const newClient = () =>
    createClient({
      settings: { ...TEST_SETTINGS, maxBodyBytes: 1_000_000, baseUrl: "http://127.0.0.1:1" },
      profile: profile.value,
      clock,
      random: () => 0.5,
      createSender: () => ({
        send: ({ url }) => {
          const text = url.pathname.endsWith("/exchange/list") ? '["E"]' : body;
          return Promise.resolve({ ok: true, value: { status: 200, headers: {}, body: text } });
        },
        close: () => undefined,
      }),
    });
  let client = newClient();
  const bad = rule({ alert: "Pair", kind: "pair", when: factIs("status", "disabled") });
  const policy = policyOf([bad]);
  const state = emptyState();
  const writer = createSourceWriter(1_000);
  let at = START;
  return {
    close: () => client.close(),
    poll: async (text: string) => {
      body = text;
      if (!remembers) {
        client.close();
        client = newClient();
      }
      at += 10 * SECOND;
      const observation = await runPoll({
        aggregator: AGGREGATOR,
        poller,
        client,
        watch: NOTHING_WATCHED,
        statuses: DEFAULT_STATUSES,
        clock,
        signal: never,
        origin: "poll",
      });
      const event: Event = { type: "observed", observation };
      const { changes, findings } = step(policy, state, event, at);
      const record = toEnd(writer.write(observation, at, undefined));
      return { reading: observation.parts[0]?.reading, changes, findings, record, state };
    },
  };
}

describe.each(Object.keys(POLLERS) as (keyof typeof POLLERS)[])("a long listing of %s", (name) => {
  it("is read, decided and recorded alike, whatever was known of the one before", async () => {
    let shared = 0;
    await fc.assert(
      fc.asyncProperty(replies, async (given) => {
        const one = createWatchdog(name, true);
        const other = createWatchdog(name, false);
        const first = Array.from({ length: ITEMS }, (_, index) => JSON.stringify(item(index)));
        let items: readonly string[] = first;
        let before: SurfaceReading | undefined;
        for (const [edit, garble, isLasting] of given) {
          const edited = edit(items);
          if (isLasting) items = edited;
          const body = garble(POLLERS[name].wrap(`[${edited.join(",")}]`));
          const found = await one.poll(body);
          expect(found).toEqual(await other.poll(body));
          shared += sharedBy(before, found.reading);
          before = found.reading;
        }
        one.close();
        other.close();
      }),
      { numRuns: 40, seed: 42 },
    );
    // Or it says nothing.
    expect(shared).toBeGreaterThan(1_000);
  });
});

/** How many entities are the very same. */
function sharedBy(before: SurfaceReading | undefined, now: SurfaceReading | undefined): number {
  if (before?.ok !== true || now?.ok !== true) return 0;
  const known = new Set(before.entities);
  return now.entities.filter((entity) => known.has(entity)).length;
}
