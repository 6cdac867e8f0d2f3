import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entryProblems, mergeWatch } from "../../../src/core/change/watch-list.ts";
import { MOST_WATCHED, type WatchEntry, type WatchListing } from "../../../src/domain/watch.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { entriesOf, watchKinds, watchListOf } from "../../../src/pollers/watch-kinds.ts";

const sender = (target: string, alias?: string): WatchEntry => ({
  kind: "sender",
  target,
  ...(alias === undefined ? {} : { alias }),
});

const listing = (
  source: WatchListing["source"],
  name: string,
  ...entries: WatchEntry[]
): WatchListing => ({ source, name, entries });

const merged = (...listings: WatchListing[]) => mergeWatch(watchKinds, listings);

describe("merged watch lists", () => {
  it("hold the same target once, with every source that lists it", () => {
    const { entries, conflicts } = merged(
      listing("config", "", sender("0xAB", "desk")),
      listing("file", "a.yaml", sender("0xab", "desk"), sender("0xab")),
    );
    expect([...entries.values()]).toEqual([
      {
        kind: "sender",
        target: "0xAB",
        alias: "desk",
        key: "sender/0xab",
        origins: ["config", "file a.yaml"],
        source: "config",
      },
    ]);
    expect(conflicts).toEqual([]);
  });

  it("take a name from a later source if the earlier one gives none", () => {
    const { entries } = merged(
      listing("config", "", sender("0xab")),
      listing("http", "desks", sender("0xab", "desk")),
    );
    expect(entries.get("sender/0xab")).toMatchObject({ alias: "desk", source: "config" });
  });

  it("keep the earlier source's name for a target, and say who disagrees", () => {
    const { entries, conflicts } = merged(
      listing("config", "", sender("0xab", "desk")),
      listing("file", "a.yaml", sender("0xab", "other")),
    );
    expect(entries.get("sender/0xab")?.alias).toBe("desk");
    expect(conflicts).toEqual([
      'file a.yaml: sender 0xab is called "other" here, and "desk" by config',
    ]);
  });

  it("watch the second target of a name all the same, without the name", () => {
    const { entries, conflicts } = merged(
      listing("config", "", sender("0x1", "desk")),
      listing("http", "desks", sender("0x2", "desk")),
    );
    expect(entries.get("sender/0x2")).toEqual({
      kind: "sender",
      target: "0x2",
      key: "sender/0x2",
      origins: ["http desks"],
      source: "http",
    });
    expect(conflicts).toEqual([
      'http desks: the alias "desk" of sender 0x2 is that of 0x1 already',
    ]);
  });

  it("leave a name to a target of another unit that had it first, and tell of no conflict there", () => {
    const own = [sender("0x2", "desk"), sender("0x3", "mine")];
    const [second = sender(""), third = sender("")] = own;
    const file = {
      ...listing("file", "a.yaml", ...own),
      withOthers: [sender("0x1", "desk"), second, third, sender("0x4", "mine")],
    };
    const { entries, conflicts } = merged(file);
    expect([...entries.values()].map(({ target, alias }) => [target, alias])).toEqual([
      ["0x2", undefined],
      ["0x3", "mine"],
    ]);
    expect(conflicts).toEqual([
      'file a.yaml: the alias "desk" of sender 0x2 is that of 0x1 already',
    ]);
  });

  it("have a bound, and say what is beyond it", () => {
    const many = Array.from({ length: MOST_WATCHED + 3 }, (_, index) => sender(`0x${index}`));
    const file = { ...listing("file", "a.yaml"), entries: many };
    const { entries, conflicts } = merged(file);
    expect(entries.size).toBe(MOST_WATCHED);
    expect(conflicts).toEqual([`3 entries are not watched: ${MOST_WATCHED} are the most`]);
  });

  it("lose no target and give no name twice, whatever the sources say", () => {
    const entry = fc.record({
      kind: fc.constantFrom("sender", "liquidation"),
      target: fc.constantFrom("0xa", "0xA", "0xb", "0xc", "0xd"),
      alias: fc.option(fc.constantFrom("x", "y"), { nil: undefined }),
    });
    const sources = fc.array(fc.array(entry, { maxLength: 6 }), { maxLength: 5 });
    fc.assert(
      fc.property(sources, (lists) => {
        const given = lists.map((own, index) =>
          listing(
            "file",
            String(index),
            ...own.map(({ kind, target, alias }) => ({ ...sender(target, alias), kind })),
          ),
        );
        const { entries, conflicts } = merged(...given);
        const keys = lists.flat().map(({ kind, target }) => `${kind}/${target.toLowerCase()}`);
        expect(new Set(entries.keys())).toEqual(new Set(keys));
        const names = [...entries.values()].flatMap(({ kind, alias }) =>
          alias === undefined ? [] : [`${kind}/${alias}`],
        );
        expect(new Set(names).size).toBe(names.length);
        // What was merged once agrees with itself.
        const again = merged(listing("config", "", ...entries.values()));
        expect([...again.entries.keys()]).toEqual([...entries.keys()]);
        if (conflicts.length === 0) expect(again.conflicts).toEqual([]);
      }),
    );
  });
});

describe("an entry", () => {
  it.each<[WatchEntry, string]>([
    [sender(""), "target must not be empty"],
    [sender("0x 1"), "target must not hold spaces"],
    [sender("0x8a12…4f3c"), "target must be written whole, not shortened"],
    [sender("0x8a12...4f3c"), "target must be written whole, not shortened"],
    [sender(`0x${"a".repeat(39)}`), "target must have 40 digits after 0x: it has 39"],
    [sender(`0X${"A".repeat(41)}`), "target must have 40 digits after 0x: it has 41"],
    [{ kind: "order", target: "spot/17/0x8a12…" }, "target must be written whole, not shortened"],
    [sender(" 0x1"), "target must not begin or end with a space"],
    [sender("x".repeat(201)), "target must not be longer than 200 characters"],
    [sender("0x1", "a\u001b[31m"), "alias must be one line without control characters"],
    [{ kind: "pool", target: "OrionV2" }, "target must be factory/pair, such as OrionV2/ORN-USDT"],
    [
      { kind: "pool", target: "A/B", alias: "p" },
      "alias a pool has no alias; its own name is its label",
    ],
    [
      { kind: "broker", target: "1" },
      'kind there is no kind "broker" (sender, liquidation, pool, order)',
    ],
    [
      { kind: "order", target: "7" },
      "target must be spot/ID or futures/ID, with /OWNER if that is needed",
    ],
  ])("is refused with a reason: %j", (entry, problem) => {
    expect(entryProblems(watchKinds, entry).map(({ at, message }) => `${at} ${message}`)).toEqual([
      problem,
    ]);
  });
});

describe("the lists of the pollers", () => {
  it("say as entries what they said as lists", () => {
    const watch = {
      ...NOTHING_WATCHED,
      senders: [
        { address: "0xA", alias: "desk" },
        { address: "0xB", alias: "0xB" },
      ],
      liquidations: [{ id: "0x5f", alias: "0x5f" }],
      pools: [{ factory: "OrionV2", pair: "ORN-USDT" }],
      orders: [{ market: "futures", id: "7", owner: "0x8a", alias: "big" } as const],
    };
    expect(entriesOf(watch)).toEqual([
      sender("0xA", "desk"),
      sender("0xB"),
      { kind: "liquidation", target: "0x5f" },
      { kind: "pool", target: "OrionV2/ORN-USDT" },
      { kind: "order", target: "futures/7/0x8a", alias: "big" },
    ]);
    expect(watchListOf(entriesOf(watch), NOTHING_WATCHED)).toEqual(watch);
  });
});
