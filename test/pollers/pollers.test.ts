/** Tests src/pollers/poller.ts: pollers. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Reply } from "../../src/aggregator/endpoints/index.ts";
import { ENDPOINT_NAMES, endpoints, readEndpoints } from "../../src/aggregator/endpoints/index.ts";
import { compileProfile } from "../../src/aggregator/profile.ts";
import { buildRequest } from "../../src/aggregator/request.ts";
import type { Facts, SeenEntity } from "../../src/domain/entity.ts";
import { POLLER_NAMES, pollers, pollersByName } from "../../src/pollers/index.ts";
import { kinds } from "../../src/pollers/kinds.ts";
import type { Poller, WatchList } from "../../src/pollers/poller.ts";
import { NOTHING_WATCHED, WATCH_LISTS } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

const nothing = NOTHING_WATCHED;

function pollerOf(name: string): Poller {
  const poller = pollersByName.get(name);
  if (poller === undefined) throw new Error(`no poller ${name}`);
  return poller;
}

function read(name: string, watch: WatchList, replies: readonly Reply[]) {
  const poller = pollerOf(name);
  const surface = poller.plan(watch)[0];
  if (surface === undefined) throw new Error("nothing planned");
  return poller.read(surface, replies, { watch, statuses: DEFAULT_STATUSES });
}

function entitiesOf(reading: ReturnType<typeof read>): readonly SeenEntity[] {
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading.entities;
}

const watched: WatchList = {
  ...NOTHING_WATCHED,
  senders: [{ address: "0xAA", alias: "desk-a" }, { address: "0xaa" }, { address: "0xBB" }],
  liquidations: [{ id: "0xF1", alias: "big" }, { id: "0xf1" }, { id: "0xF2" }],
  pools: [
    { factory: "OrionV2", pair: "ORN-USDT" },
    { factory: "OrionV2", pair: "ORN-USDT" },
  ],
};

/** With and without entries of the lists that are not needed for a request. */
const WAYS_TO_WATCH: readonly WatchList[] = [
  nothing,
  { ...nothing, pools: [{ factory: "OrionV2", pair: "ORN-USDT" }] },
  { ...nothing, markets: [{ pair: "ORN-USDT" }] },
  { ...nothing, markets: [{ exchange: "BINANCE" }] },
  { ...nothing, markets: [{ pair: "ORN-USDT", exchange: "BINANCE" }] },
];

describe("every poller", () => {
  test("reads an entity from a surface that its kind names, if that depends on what is watched", () => {
    const named = new Map<string, Set<string>>();
    for (const watch of WAYS_TO_WATCH) {
      for (const { plan, read: readBy } of pollers) {
        for (const surface of plan(watch)) {
          const replies = surface.requests.map(({ endpoint }) => {
            const { decode, reply } = readEndpoints[endpoint];
            const decoded = decode(reply.example, "milliseconds");
            if (!decoded.ok) throw new Error(`the example of ${endpoint} cannot be decoded`);
            return { endpoint, value: decoded.value } as Reply;
          });
          const context = { watch, statuses: DEFAULT_STATUSES };
          for (const { kind, id } of entitiesOf(readBy(surface, replies, context))) {
            const surfaces = kinds.get(kind)?.surfaces?.(id);
            if (surfaces === undefined) continue;
            expect(surfaces).toContain(surface.name);
            named.set(kind, (named.get(kind) ?? new Set()).add(surface.name));
          }
        }
      }
    }
    const settings = ["", "/ORN-USDT", "/@BINANCE", "/ORN-USDT@BINANCE"];
    expect(Object.fromEntries([...named].map(([kind, own]) => [kind, [...own]]))).toEqual({
      pool: ["all", "OrionV2/ORN-USDT"],
      estimation: ["all", "OrionV2/ORN-USDT"],
      market_config: settings.map((rest) => `settings${rest}`),
    });
  });

  test("has a name, kinds and a watch list that no other poller has", () => {
    expect(new Set(POLLER_NAMES).size).toBe(POLLER_NAMES.length);
    for (const { kinds: own } of pollers)
      for (const definition of own) expect(kinds.get(definition.kind)).toBe(definition);
    const lists = pollers.flatMap(({ watchList }) => watchList?.list ?? []);
    expect(lists.toSorted()).toEqual(WATCH_LISTS.toSorted());
  });

  test("is in the list, and so is every kind, whichever file defines it", async () => {
    const folder = join(import.meta.dirname, "../../src/pollers");
    for (const file of readdirSync(folder)) {
      const exported = (await import(join(folder, file))) as Record<string, unknown>;
      for (const [name, value] of Object.entries(exported)) {
        if (name.endsWith("Poller") && name !== "definePoller")
          expect(pollers, `src/pollers/index.ts lacks ${name}`).toContain(value);
        if (name.endsWith("Kind") && typeof value === "object")
          expect([...kinds.values()], `no poller has ${name} in its kinds`).toContain(value);
      }
    }
  });

  test.each([...POLLER_NAMES])(
    "%s plans surfaces with distinct names, of reads that can be built",
    (name) => {
      const profile = compileProfile({});
      if (!profile.ok) throw new Error("the default profile has problems");
      const surfaces = pollerOf(name).plan(watched);
      expect(new Set(surfaces.map((surface) => surface.name)).size).toBe(surfaces.length);
      for (const { requests } of surfaces)
        for (const { endpoint, args } of requests) {
          expect(ENDPOINT_NAMES).toContain(endpoint);
          expect(endpoints[endpoint].purpose).toBe("read");
          expect(buildRequest(profile.value, endpoint, args).ok).toBe(true);
        }
    },
  );

  test("gives only facts that its kinds define, of the type that they say", () => {
    const readings = [
      read("exchanges", watched, [
        { endpoint: "exchanges", value: ["A"] },
        {
          endpoint: "disabled",
          value: { exchanges: ["B"], pairs: [{ exchange: "A", assetPair: "X-Y" }] },
        },
      ]),
      read("liquidations", watched, [{ endpoint: "liquidation", value: fullOrder }]),
      read("pools", watched, [
        { endpoint: "poolReserves", value: { a: 1, p: 2, indicativePrice: 2 } },
      ]),
      read("swaps", watched, [{ endpoint: "activeSwaps", value: [fullSwap] }]),
    ];
    const seen = readings.flatMap(entitiesOf);
    expect(new Set(seen.map(({ kind }) => kind)).size).toBe(6);
    for (const { kind, facts } of seen) {
      const defined = kinds.get(kind)?.facts ?? {};
      const shown = Object.entries(facts).map(([name, value]) => [name, typeof value]);
      const types = { string: "string", double: "number", bool: "boolean", timestamp: "number" };
      for (const [name, type] of shown)
        expect(type, `${kind}.${name}`).toBe(types[defined[name ?? ""]?.type ?? "string"]);
      expect(Object.keys(defined)).toEqual(expect.arrayContaining(Object.keys(facts)));
      expect(Object.keys(facts).length).toBeGreaterThan(0);
    }
  });
});

const fullOrder = {
  id: "0xf1",
  status: "PARTIALLY_FILLED",
  assetPair: "ORN-USDT",
  side: "BUY",
  amount: 10,
  remainingAmount: 4,
  price: 1.5,
  creationTime: 1,
  updateTime: 2,
};

const fullSwap = {
  sender: "0xaA",
  status: "ACTIVE",
  creationTime: 5,
  lockOrder: {
    secretHash: "0xCD",
    asset: "ORN",
    amount: 12.5,
    expiration: 9,
    used: false,
    sourceNetworkCode: "BSC",
  },
};

describe("exchanges", () => {
  test("an exchange in both listings is disabled, and one in neither is not made up", () => {
    const entities = entitiesOf(
      read("exchanges", nothing, [
        { endpoint: "exchanges", value: ["A", "B"] },
        { endpoint: "disabled", value: { exchanges: ["B", "C"], pairs: [] } },
      ]),
    );
    expect(
      entities.map(({ id, facts }) => [id, facts["status"], facts["listed"], facts["disabled"]]),
    ).toEqual([
      ["A", "enabled", true, false],
      ["B", "disabled", true, true],
      ["C", "disabled", false, true],
    ]);
  });

  test("a disabled pair belongs to its exchange", () => {
    const reading = read("exchanges", nothing, [
      { endpoint: "exchanges", value: [] },
      {
        endpoint: "disabled",
        value: { exchanges: [], pairs: [{ exchange: "A", assetPair: "X-Y" }] },
      },
    ]);
    expect(reading).toEqual({
      ok: true,
      complete: true,
      entities: [
        {
          kind: "pair",
          id: "A/X-Y",
          parent: { kind: "exchange", id: "A" },
          facts: { name: "A/X-Y", exchange: "A", asset_pair: "X-Y", status: "disabled" },
        },
      ],
    });
  });

  test("a reply that was planned and is not there is a bug, and thrown", () => {
    expect(() => read("exchanges", nothing, [{ endpoint: "exchanges", value: [] }])).toThrow(
      /disabled/,
    );
  });
});

describe("liquidations", () => {
  test("asks for each watched order once, and for none when none is watched", () => {
    const { plan } = pollerOf("liquidations");
    expect(plan(watched).map(({ requests }) => requests)).toEqual([
      [{ endpoint: "liquidation", args: { orderId: "0xF1" } }],
      [{ endpoint: "liquidation", args: { orderId: "0xF2" } }],
    ]);
    expect(plan(nothing)).toEqual([]);
  });

  test("knows an order by its id in any case, so that another spelling of it is no other order", () => {
    const planOf = (id: string) =>
      pollersByName.get("liquidations")?.plan({ ...watched, liquidations: [{ id }] });
    expect(planOf("0xF1")?.map(({ name }) => name)).toEqual(
      planOf("0xf1")?.map(({ name }) => name),
    );
  });

  test("gives the order's facts under its watched id and alias", () => {
    const [entity] = entitiesOf(
      read("liquidations", watched, [{ endpoint: "liquidation", value: fullOrder }]),
    );
    expect(entity).toEqual({
      kind: "liquidation",
      id: "0xf1",
      facts: {
        order_id: "0xF1",
        name: "big",
        status: "PARTIALLY_FILLED",
        open: true,
        cancelable: true,
        final: false,
        asset_pair: "ORN-USDT",
        side: "BUY",
        amount: 10,
        remaining_amount: 4,
        missing: false,
        price: 1.5,
        created: 1,
        updated: 2,
      },
    });
  });

  test.each([
    ["FILLED", true, false, false],
    ["SETTLED", false, false, true],
    ["NOT_FOUND", undefined, undefined, undefined],
    ["SETTLED_NOT", undefined, undefined, undefined],
  ])(
    "says of the status %s: open %s, cancelable %s, final %s",
    (status, open, cancelable, final) => {
      const value = { ...fullOrder, status };
      const [entity] = entitiesOf(
        read("liquidations", watched, [{ endpoint: "liquidation", value }]),
      );
      const facts: Facts = entity?.facts ?? {};
      expect([facts["status"], facts["open"], facts["cancelable"], facts["final"]]).toEqual([
        status,
        open,
        cancelable,
        final,
      ]);
    },
  );

  test.each([
    ["settled", "SETTLED", true],
    ["Filled", "FILLED", false],
  ])("the status %s is the setting's %s, whatever its case", (word, status, final) => {
    const value = { ...fullOrder, status: word };
    const [entity] = entitiesOf(
      read("liquidations", watched, [{ endpoint: "liquidation", value }]),
    );
    expect(entity?.facts).toMatchObject({ status, final });
  });

  test("another order than the one asked for is a mismatch", () => {
    const value = { ...fullOrder, id: "0xf2" };
    expect(read("liquidations", watched, [{ endpoint: "liquidation", value }])).toMatchObject({
      ok: false,
      failure: { reason: "mismatch", endpoint: "liquidation" },
    });
  });
});

describe("pools", () => {
  test("asks once for all pools, or once for each that is watched", () => {
    const { plan } = pollerOf("pools");
    expect(plan(nothing)).toEqual([
      { name: "all", requests: [{ endpoint: "reserves", args: {} }] },
    ]);
    expect(plan(watched)).toEqual([
      {
        name: "OrionV2/ORN-USDT",
        requests: [{ endpoint: "poolReserves", args: { factory: "OrionV2", pair: "ORN-USDT" } }],
      },
    ]);
  });

  test("gives the same entity by either way of asking", () => {
    const reserves = { a: 1000.5, p: 1470.2, indicativePrice: 1.4695 };
    const listed = { factory: "OrionV2", pair: "ORN-USDT", ...reserves };
    const all = entitiesOf(read("pools", nothing, [{ endpoint: "reserves", value: [listed] }]));
    const one = entitiesOf(read("pools", watched, [{ endpoint: "poolReserves", value: reserves }]));
    expect(all).toEqual(one);
    expect(one[0]?.facts).toEqual({
      missing: false,
      name: "OrionV2/ORN-USDT",
      factory: "OrionV2",
      pair: "ORN-USDT",
      base_asset: "ORN",
      quote_asset: "USDT",
      base: 1000.5,
      quote: 1470.2,
      price: 1.4695,
    });
  });

  test("does not guess the assets of a pair without just one dash", () => {
    const value = ["ORNUSDT", "A-B-C"].map((pair) => ({ factory: "F", pair, a: 1, p: 1 }));
    for (const { facts } of entitiesOf(read("pools", nothing, [{ endpoint: "reserves", value }])))
      expect(Object.keys(facts)).toEqual(["name", "factory", "pair", "base", "quote", "missing"]);
  });
});

describe("swaps", () => {
  test("asks for each watched sender once, whatever the case of its letters", () => {
    expect(pollerOf("swaps").plan(watched)).toEqual([
      { name: "0xaa", requests: [{ endpoint: "activeSwaps", args: { sender: "0xAA" } }] },
      { name: "0xbb", requests: [{ endpoint: "activeSwaps", args: { sender: "0xBB" } }] },
    ]);
  });

  test("gives the sender, and each swap under its secret hash", () => {
    expect(
      entitiesOf(read("swaps", watched, [{ endpoint: "activeSwaps", value: [fullSwap] }])),
    ).toEqual([
      {
        kind: "sender",
        id: "0xaa",
        facts: { address: "0xaa", alias: "desk-a", active_swaps: 1, missing: false },
      },
      {
        kind: "swap",
        id: "0xcd",
        parent: { kind: "sender", id: "0xaa" },
        facts: {
          secret_hash: "0xcd",
          sender: "0xaa",
          sender_alias: "desk-a",
          status: "ACTIVE",
          active: true,
          final: false,
          asset: "ORN",
          amount: 12.5,
          source_network: "BSC",
          created: 5,
          expires: 9,
          lock_used: false,
        },
      },
    ]);
  });

  test("takes a current swap for active unless its word says that it has ended", () => {
    const settled = { ...fullSwap, status: "SETTLED", lockOrder: { secretHash: "0x1" } };
    const odd = { ...fullSwap, status: "LIMBO", lockOrder: { secretHash: "0x2" } };
    const factsWith = (value: (typeof settled | typeof fullSwap)[]) =>
      entitiesOf(read("swaps", watched, [{ endpoint: "activeSwaps", value }])).map(
        ({ facts }) => facts,
      );
    const [sender, , second] = factsWith([fullSwap, settled]);
    expect([sender?.["active_swaps"], second?.["active"]]).toEqual([1, false]);
    const [unsure, , third] = factsWith([fullSwap, odd]);
    expect(unsure).toMatchObject({ active_swaps: 2 });
    expect([third?.["status"], third?.["active"], third?.["final"]]).toEqual([
      "LIMBO",
      true,
      undefined,
    ]);
  });

  test("knows the words of the settings, in any case and spelling of another deployment", () => {
    const swaps = { active: ["Redeeming"], settled: ["DONE"], expired: ["refunded"] };
    const value = ["REDEEMING", "done", "Refunded", "ACTIVE"].map((status, index) => ({
      ...fullSwap,
      status,
      lockOrder: { secretHash: `0x${index}` },
    }));
    const reading = pollerOf("swaps").read(
      { name: "0xaa", requests: [] },
      [{ endpoint: "activeSwaps", value }],
      {
        watch: watched,
        statuses: { ...DEFAULT_STATUSES, swaps },
      },
    );
    const [, ...own] = entitiesOf(reading).map(({ facts }) => facts);
    expect(own.map((facts) => [facts["status"], facts["active"], facts["final"]])).toEqual([
      ["Redeeming", true, false],
      ["DONE", false, true],
      ["refunded", false, true],
      ["ACTIVE", true, undefined],
    ]);
  });

  test("a swap of another sender is a mismatch", () => {
    const value = [fullSwap, { ...fullSwap, sender: "0xBB", lockOrder: { secretHash: "0x1" } }];
    expect(read("swaps", watched, [{ endpoint: "activeSwaps", value }])).toMatchObject({
      ok: false,
      failure: { reason: "mismatch", message: "$[1].sender: expected the sender asked for" },
    });
  });
});
