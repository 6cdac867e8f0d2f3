import { expect, it } from "vitest";
import { findingRowOf } from "../../../src/io/api/finding-row.ts";

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
