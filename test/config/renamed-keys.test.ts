import { describe, expect, it } from "vitest";
import { placesOf, settingsOf } from "./settings/settings-text.ts";

const ONE = "aggregators: [{ base_url: https://aggregator.example/ }]\n";
const OLD = `${ONE}notify:\n  page_url: https://aggwatch.example/\n`;
const NEW = `${ONE}server: { external_url: https://aggwatch.example }\n`;
const VARIABLE = { AGGWATCH_NOTIFY_PAGE_URL: "https://aggwatch.example" };

describe("a key that is called otherwise now", () => {
  it.each([
    ["in the file", { text: OLD }, { file: "etc/aggwatch.yaml", line: 3, column: 3 }],
    ["as a variable", { text: ONE, env: VARIABLE }, { file: "AGGWATCH_NOTIFY_PAGE_URL", line: 0 }],
  ])(
    "works by its old name %s, with a warning that says where and what to write",
    (_, given, place) => {
      const settings = settingsOf(given);
      expect(settings.notify.pageUrl).toBe("https://aggwatch.example");
      expect(settings.warnings).toMatchObject([
        {
          ...place,
          severity: "warning",
          id: "config/renamed-key",
          message:
            '"notify.page_url" is called "server.external_url" now; the old name goes with the next version',
          hint: expect.stringContaining("server.external_url") as string,
        },
      ]);
    },
  );

  it("has no warning by its new name", () => {
    const settings = settingsOf({ text: NEW });
    expect(settings.notify.pageUrl).toBe("https://aggwatch.example");
    expect(settings.warnings).toEqual([]);
  });

  it("is an error if both names are given, wherever they are", () => {
    const both = `${NEW}notify:\n  page_url: https://aggwatch.example\n`;
    expect(placesOf({ text: both })).toEqual(["4:3 config/contradiction"]);
    expect(placesOf({ text: NEW, env: VARIABLE })).toEqual([
      "AGGWATCH_NOTIFY_PAGE_URL config/contradiction",
    ]);
    const env = { ...VARIABLE, AGGWATCH_SERVER_EXTERNAL_URL: "https://aggwatch.example" };
    expect(placesOf({ text: ONE, env })).toEqual(["AGGWATCH_NOTIFY_PAGE_URL config/contradiction"]);
  });

  it("has its bad value told where it is written", () => {
    const text = `${ONE}notify: { page_url: nowhere }\n`;
    expect(placesOf({ text })).toEqual(["2:21 config/bad-value"]);
    expect(placesOf({ text: ONE, env: { AGGWATCH_NOTIFY_PAGE_URL: "nowhere" } })).toEqual([
      "AGGWATCH_NOTIFY_PAGE_URL config/bad-value",
    ]);
  });
});
