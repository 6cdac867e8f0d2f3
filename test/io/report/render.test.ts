/** Tests src/io/report/render.ts. */
import { expect, it } from "vitest";
import { renderReport } from "../../../src/io/report/render.ts";
import type { Report } from "../../../src/io/report/report.ts";

const HOSTILE = `</title><script>alert(1)</script>"onload="x`;

const REPORT: Report = {
  title: HOSTILE,
  verdict: ["Quiet.", HOSTILE],
  basis: ["Recorded today."],
  timeline: {
    title: "Timeline",
    from: 1_000,
    until: 2_000,
    label: (at) => `t${at}`,
    tracks: [
      {
        name: HOSTILE,
        spans: [
          { from: 500, until: 3_000, tone: "bad", text: "cut at both ends" },
          { from: 1_500, tone: "quiet", text: HOSTILE },
        ],
      },
    ],
  },
  charts: [
    {
      title: "Alerts",
      bars: [
        {
          name: "A",
          parts: [
            { count: 3, tone: "warn", what: "resolved" },
            { count: 1, tone: "bad", what: "fire" },
          ],
        },
      ],
    },
    { title: "Nothing", bars: [] },
  ],
  tables: [{ title: "All", heads: ["name"], rows: [[HOSTILE], ["BINАNCE"]] }],
};

it("makes one file that fetches nothing, runs nothing, and believes no name", async () => {
  const text = await renderReport(REPORT);
  expect(text).toMatch(/^<!doctype html>/);
  expect(text).not.toMatch(/<script|<link|<img|src=|href=|url\(|@import|https?:/i);
  expect(text).not.toContain(`"onload=`);
  expect(text).toContain("&lt;script&gt;");
  expect(text).toContain("BIN\\u{410}NCE"); // a Cyrillic letter
});

it("draws within its bounds, and says what the colours mean", async () => {
  const text = await renderReport(REPORT);
  const spans = [
    ...text.matchAll(/<rect\s+class="(?:bad|quiet)"\s+x="([\d.]+)"\s+y="3"\s+width="([\d.]+)"/g),
  ];
  const places = spans.map(([, x, width]) => [Number(x), Number(x) + Number(width)]);
  expect(places[0]).toEqual([240, 990]);
  expect(places[1]).toEqual([615, 619]);
  expect(text).toMatch(/class="legend">[\s\S]*resolved[\s\S]*fire/);
  expect(text).toContain("t1400");
});
