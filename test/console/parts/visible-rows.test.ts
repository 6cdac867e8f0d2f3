import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleRows } from "../../../src/console/parts/visible-rows.ts";

describe("the rows of a long list that are drawn", () => {
  it("have all that can be seen, few others, and none that there is not", () => {
    const view = fc.record({
      rows: fc.nat(20_000),
      rowHeight: fc.integer({ min: 10, max: 80 }),
      above: fc.integer({ min: -5_000, max: 2_000_000 }),
      height: fc.integer({ min: 1, max: 4_000 }),
    });
    fc.assert(
      fc.property(view, (options) => {
        const { rows, rowHeight, above, height } = options;
        const { from, until } = visibleRows(options);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(until).toBeGreaterThanOrEqual(from);
        expect(until).toBeLessThanOrEqual(rows);
        expect(until - from).toBeLessThanOrEqual(height / rowHeight + 26);
        const firstSeen = Math.floor(Math.max(0, above) / rowHeight);
        const lastSeen = Math.ceil((above + height) / rowHeight) - 1;
        for (const row of [firstSeen, lastSeen]) {
          if (row < 0 || row >= rows || row * rowHeight >= above + height) continue;
          expect(row >= from && row < until, `row ${row} of ${from} to ${until}`).toBe(true);
        }
      }),
    );
  });
});
