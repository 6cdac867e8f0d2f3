import { expect, it } from "vitest";
import { aboutOf } from "../../../src/io/api/details/about-finding.ts";
import { findingRowOf } from "../../../src/io/api/finding-row.ts";

it("tells a poller of one unit from that of another", () => {
  const polled = { type: "polled", aggregator: "bsc", poller: "swaps", origin: "poll" } as const;
  const failed = { ...polled, outcome: "failed", durationMs: 5, detail: "" } as const;
  const ofUnit = { ...failed, id: "swaps/2" };
  expect(findingRowOf({ at: 0, finding: failed }).subject).toBe("bsc/swaps");
  expect(findingRowOf({ at: 0, finding: ofUnit }).subject).toBe("bsc/swaps/2");
  expect(aboutOf(ofUnit)).toEqual({ entity: "bsc/poller/swaps/2" });
});

it("says of a watch list how many it holds, and one as one", () => {
  const row = (entries: number, ended: number) =>
    findingRowOf({
      at: 0,
      finding: {
        type: "watch",
        aggregator: "bsc",
        source: "file",
        name: "desks.yaml",
        entries,
        ended,
      },
    }).what;
  expect(row(1, 1)).toBe("1 entry, 1 entity ended");
  expect(row(2, 0)).toBe("2 entries, 0 entities ended");
});
