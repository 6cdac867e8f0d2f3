/** Tests src/config/settings/resolve-aggregator.ts: two aggregators that are one. */
import { describe, expect, it } from "vitest";
import { settingsOf } from "./settings-text.ts";

const warnings = (second: string) =>
  settingsOf({
    text: `aggregators:
  - { name: bsc, base_url: "http://127.0.0.1/bsc" }
  - ${second}
`,
  }).warnings;

describe("a second aggregator at the same address", () => {
  it("is warned of where its address is written", () => {
    expect(warnings('{ name: eth, base_url: "http://127.0.0.1/bsc/" }')).toMatchObject([
      {
        id: "lint/same-aggregator",
        line: 3,
        column: 28,
        message: expect.stringMatching(/^"bsc" has the same address/) as string,
      },
    ]);
  });

  it.each([
    ["another path", '{ name: eth, base_url: "http://127.0.0.1/eth" }'],
    ["another prefix", '{ name: eth, base_url: "http://127.0.0.1/bsc", api_prefix: /eth }'],
    [
      "another argument",
      '{ name: eth, base_url: "http://127.0.0.1/bsc", wire: { exchanges: { path: "/eth/list" } } }',
    ],
  ])("is none if it is asked by %s", (_, second) => {
    expect(warnings(second)).toEqual([]);
  });
});
