import { describe, expect, it } from "vitest";
import type { WatchEntry } from "../../../src/domain/watch.ts";
import { createMerger, readingOf } from "../../../src/run/watch-list/merge.ts";
import { aggregatorSetup } from "../watchdog-setup.ts";

const setup = aggregatorSetup("http://127.0.0.1:1");
const sender = (target: string): WatchEntry => ({ kind: "sender", target });

function world(...first: readonly WatchEntry[]) {
  let entries = first;
  let asked = 0;
  const merger = createMerger();
  const source = {
    lists: () => {
      asked += 1;
      return [{ source: "file" as const, name: "a.yaml", entries }];
    },
  };
  return {
    merged: () => merger.merged(setup, () => [source]),
    recheck: merger.recheck,
    give: (...next: readonly WatchEntry[]) => (entries = next),
    asked: () => asked,
  };
}

describe("merged watch lists", () => {
  it("are asked for once, until a source may give others", () => {
    const { merged, recheck, asked } = world(sender("0x1"));
    expect([...merged().entries.keys()]).toEqual(["sender/0x1"]);
    merged();
    expect(asked()).toBe(1);
    recheck();
    merged();
    expect(asked()).toBe(2);
  });

  it("are the very same if the sources give the same, so that nothing is planned again", () => {
    const { merged, recheck, give } = world(sender("0x1"), sender("0x2"));
    const { effective, entries } = merged();
    recheck();
    give(sender("0x1"), sender("0x2"));
    expect(merged().effective).toBe(effective);
    expect(merged().entries).toBe(entries);
  });

  it("leave out a source that gave nothing yet, and give on what the others hold for a name", () => {
    const own = [sender("0x1")];
    const withOthers = [...own, { ...sender("0x2"), alias: "desk" }];
    const lists = [
      { source: "config" as const, name: "", entries: own, withOthers },
      { source: "file" as const, name: "a.yaml", entries: undefined },
      { source: "http" as const, name: "b", entries: [sender("0x3")] },
      { source: "api" as const, name: "", entries: [sender("0x4")] },
    ];
    const source = { lists: () => lists };
    const merged = createMerger().merged(setup, () => [source]);
    expect([...merged.entries.keys()]).toEqual(["sender/0x1", "sender/0x3", "sender/0x4"]);
    // The core knows by itself what operators added.
    expect(merged.effective.given).toEqual([lists[0], lists[2]]);
    const { entries, sources } = readingOf(merged, [source]);
    expect(entries.map(({ target }) => target)).toEqual(["0x1", "0x3", "0x4"]);
    expect(sources).toEqual([lists[1], lists[2]]);
  });

  it("follow what a source gives", () => {
    const { merged, recheck, give } = world(sender("0x1"));
    merged();
    recheck();
    give(sender("0x2"));
    expect(merged().effective.watch.senders.map(({ address }) => address)).toEqual(["0x2"]);
  });
});
