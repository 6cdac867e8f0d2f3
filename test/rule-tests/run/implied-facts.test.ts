import { describe, expect, it } from "vitest";
import { actions } from "../../../src/actions/index.ts";
import type { Facts, SeenEntity } from "../../../src/domain/entity.ts";
import { pollers } from "../../../src/pollers/index.ts";
import type { WatchList } from "../../../src/pollers/poller.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import type { Reply } from "../../../src/aggregator/endpoints/index.ts";
import {
  asPolled,
  impliedFacts,
  repaired,
  surfaceOf,
} from "../../../src/rule-tests/run/implied-facts.ts";

const WATCH: WatchList = {
  ...NOTHING_WATCHED,
  senders: [{ address: "0xaa" }],
  liquidations: [{ id: "order-7" }],
};

/** What a poller really gives for replies, and from which surface. */
function read(
  poller: string,
  replies: readonly unknown[],
): { surface: string; seen: SeenEntity }[] {
  const own = pollers.find(({ name }) => name === poller);
  const [surface] = own?.plan(WATCH) ?? [];
  if (own === undefined || surface === undefined) throw new Error(`no poller ${poller}`);
  const answers = surface.requests.map(({ endpoint }, index) => ({
    endpoint,
    value: replies[index],
  }));
  const context = { watch: WATCH, statuses: DEFAULT_STATUSES };
  const reading = own.read(surface, answers as readonly Reply[], context);
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading.entities.map((seen) => ({ surface: surface.name, seen }));
}

/** What a test would have to say of an entity: what is not implied by its id and its status. */
function saidOf({ kind, id, facts }: SeenEntity): Facts {
  const status = facts["status"];
  const said: Facts = status === undefined ? {} : { status };
  const sender: Facts = kind === "swap" ? { sender: facts["sender"] ?? "" } : {};
  const implied = impliedFacts(kind, id, { ...said, ...sender });
  const others = Object.entries(facts).filter(([name]) => implied[name] === undefined);
  return { ...Object.fromEntries(others), ...said, ...sender };
}

const OPEN = { open: true, cancelable: true, final: false };
const OF_DESK_A = { secret_hash: "0x5f", sender: "desk-a", sender_alias: "desk-a" };

const order = (status: string) => ({ id: "order-7", status, assetPair: "ORN-USDT", side: "BUY" });
const swap = (status: string) => ({
  sender: "0xaa",
  status,
  lockOrder: { secretHash: "0x5f", asset: "ORN", amount: 5, expiration: 9, used: false },
});

describe("implied facts", () => {
  it.each<[string, readonly unknown[]]>([
    ["exchanges", [["A", "B"], { exchanges: ["C"], pairs: [{ exchange: "A", assetPair: "X-Y" }] }]],
    ["liquidations", [order("NEW")]],
    ["liquidations", [order("TX_PENDING")]],
    ["liquidations", [order("SETTLED")]],
    ["liquidations", [order("REFUNDING")]],
    ["pools", [[{ factory: "F", pair: "ORN-USDT", a: 1, p: 2, indicativePrice: 3 }]]],
    ["pools", [[{ factory: "F", pair: "A-B-C", a: 1, p: 2 }]]],
    ["swaps", [[swap("ACTIVE")]]],
    ["swaps", [[swap("SETTLED")]]],
    ["swaps", [[swap("LOCKED")]]],
  ])("are those that %s gives, for %j", (poller, replies) => {
    const all = read(poller, replies);
    expect(all.length).toBeGreaterThan(0);
    for (const { surface, seen } of all) {
      const said = saidOf(seen);
      expect({ ...impliedFacts(seen.kind, seen.id, said), ...said }).toEqual(seen.facts);
      expect(surfaceOf(seen.kind, seen.id, said)).toBe(surface);
    }
  });

  it.each<[string, string, Facts, Facts]>([
    ["exchange", "A", {}, { name: "A" }],
    ["exchange", "A", { status: "missing" }, { name: "A", listed: false, disabled: false }],
    ["exchange", "A", { status: "disabled" }, { name: "A", listed: false, disabled: true }],
    ["order", "spot/7", {}, { market: "spot", order_id: "7", name: "7" }],
    [
      "order",
      "futures/7",
      { status: "new" },
      { market: "futures", order_id: "7", name: "7", ...OPEN },
    ],
    ["liquidation", "7", { status: "new" }, { order_id: "7", name: "7", ...OPEN }],
    [
      "pool",
      "F/ORN-USDT",
      {},
      {
        name: "F/ORN-USDT",
        factory: "F",
        pair: "ORN-USDT",
        base_asset: "ORN",
        quote_asset: "USDT",
      },
    ],
    ["pool", "F/A-B-C", {}, { name: "F/A-B-C", factory: "F", pair: "A-B-C" }],
    ["swap", "0x5f", {}, OF_DESK_A],
    ["swap", "0x5f", { status: "settled" }, { ...OF_DESK_A, active: false, final: true }],
    ["swap", "0x5f", { status: "LOCKED" }, { ...OF_DESK_A, active: true }],
    [
      "swap",
      "0x5f",
      { sender: "0xaa" },
      { secret_hash: "0x5f", sender: "0xaa", sender_alias: "0xaa" },
    ],
    ["past_swap", "0x5f", {}, OF_DESK_A],
    ["past_swap", "0x5f", { status: "SETTLED" }, { ...OF_DESK_A, finished: true, settled: true }],
    ["past_swap", "0x5f", { status: "EXPIRED" }, { ...OF_DESK_A, finished: true, settled: false }],
    ["past_swap", "0x5f", { status: "ACTIVE" }, { ...OF_DESK_A, finished: false, settled: false }],
    ["past_swap", "0x5f", { status: "LOCKED" }, OF_DESK_A],
    [
      "past_swap",
      "0x5f",
      { sender: "0xaa" },
      { secret_hash: "0x5f", sender: "0xaa", sender_alias: "0xaa" },
    ],
    ["market", "A-B", {}, { pair: "A-B", status: "listed", listed: true }],
    ["market", "A-B", { status: "missing" }, { pair: "A-B", status: "listed", listed: false }],
    [
      "estimation",
      "F/A-B",
      {},
      { name: "F/A-B", factory: "F", pair: "A-B", side: "SELL", amount: 1 },
    ],
  ])("of %s %s, of which a test says %j, are %j", (kind, id, said, implied) => {
    expect(impliedFacts(kind, id, said)).toEqual(implied);
  });

  it.each<[string, string, Facts, string]>([
    ["swap", "0x5f", {}, "desk-a"],
    ["past_swap", "0x5f", { sender: "0xaa" }, "0xaa"],
    ["liquidation", "7", {}, "7"],
    ["market", "A-B", {}, "list"],
    ["order", "futures/7", {}, "futures"],
    ["order", "7", {}, "spot"],
    ["market_config", "A-B@X", {}, "settings"],
    ["exchange", "A", {}, "all"],
  ])("have %s %s, of which a test says %j, read from %s", (kind, id, said, surface) => {
    expect(surfaceOf(kind, id, said)).toBe(surface);
  });

  it.each<[string, Facts, Facts]>([
    ["order", { status: "failed", amount: 1 }, { status: "FAILED", amount: 1 }],
    ["order", { amount: 1 }, { amount: 1 }],
    ["exchange", { status: "Disabled" }, { status: "Disabled" }],
    ["of no poller", { status: "failed" }, { status: "failed" }],
  ])("spell a status of the settings only, of %s with %j", (kind, said, polled) => {
    expect(asPolled(kind, said)).toEqual(polled);
  });

  it.each(actions.map((action) => [action.name, action] as const))(
    "show the aim of %s reached once it has worked",
    (name, action) => {
      const facts = repaired(name);
      expect(action.aim(facts === "gone" ? undefined : { facts })).toBe("reached");
    },
  );
});
