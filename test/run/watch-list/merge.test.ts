import { describe, expect, it } from "vitest";
import type { WatchEntry } from "../../../src/domain/watch.ts";
import { createMerger } from "../../../src/run/watch-list/merge.ts";
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

  it("follow what a source gives", () => {
    const { merged, recheck, give } = world(sender("0x1"));
    merged();
    recheck();
    give(sender("0x2"));
    expect(merged().effective.watch.senders.map(({ address }) => address)).toEqual(["0x2"]);
  });
});
