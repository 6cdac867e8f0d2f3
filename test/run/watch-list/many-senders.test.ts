/** Tests src/run/watch-list/file-source.ts, src/core/observe/entity-limits.ts: 100 000 senders of one aggregator, by default. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mergeWatch } from "../../../src/core/change/watch-list.ts";
import { mostEntities } from "../../../src/core/observe/entity-limits.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { watchKinds, watchListOf } from "../../../src/pollers/watch-kinds.ts";
import { policyOf } from "../../../src/run/setup.ts";
import { fileSource } from "../../../src/run/watch-list/file-source.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "../watchdog-setup.ts";

const SENDERS = 100_000;
const SWAPS_EACH = 10;

it("admits 100 000 senders, each with a name and its swaps, from one file and by default", () => {
  const directory = temporaryDirectory();
  try {
    const file = join(directory.path, "desks.json");
    const groups = Array.from({ length: SENDERS }, (_, index) => ({
      targets: [`0x${index.toString(16).padStart(40, "0")}`],
      labels: { kind: "sender", alias: `a-desk-of-the-far-east-${index}` },
    }));
    writeFileSync(file, JSON.stringify(groups));
    const source = fileSource([file], [], { now: () => 0 });
    source.read?.();
    const lists = source.lists();
    expect(lists.map(({ problem }) => problem)).toEqual([undefined]);
    const { entries, conflicts } = mergeWatch(
      watchKinds,
      lists.map((list) => ({ ...list, entries: list.entries ?? [] })),
    );
    expect(conflicts).toEqual([]);
    expect(entries.size).toBe(SENDERS);
    const watch = watchListOf(entries.values(), NOTHING_WATCHED);
    const pollers = EVERY_POLLER.filter(({ name }) => name === "swaps");
    const aggregator = aggregatorSetup("http://127.0.0.1:1", { pollers, watch });
    const policy = policyOf(watchdogSetup(directory.path, [aggregator]));
    const most = mostEntities(policy, { aggregator: aggregator.name, poller: "swaps" });
    expect(most).toBeGreaterThanOrEqual(SENDERS * SWAPS_EACH);
  } finally {
    directory.remove();
  }
});
