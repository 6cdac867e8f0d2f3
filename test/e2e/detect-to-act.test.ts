import { describe, expect, it } from "vitest";
import { benchDetectToAct } from "../../bench/detect-to-act.ts";
import { findPrograms } from "../../bench/detect-to-act/alerting.ts";

describe.skipIf(findPrograms() === undefined)("the benchmark from detecting to acting", () => {
  it("still runs, and both ways repair", async () => {
    const rows = await benchDetectToAct(1);
    expect(rows.map(({ name }) => name)).toContain("detect-to-act, beside fastest: whole, median");
    for (const { ours, baseline, ratio } of rows) {
      expect([ours, baseline]).toEqual([
        expect.stringMatching(/^\d.* ms$/),
        expect.stringMatching(/^\d.* ms$/),
      ]);
      expect(ratio).toBeGreaterThan(0);
    }
  });
});
