/** Tests src/io/metrics: promlint. */
import { describe, expect, it } from "vitest";
import { policyOf, repair, rule } from "../../core/fixtures.ts";
import { parseExposition, type Family } from "./exposition.ts";
import { PROMLINT, promlint } from "./promlint.ts";
import { Scraped } from "./scrape.ts";

const series = { name: "a", labels: {}, value: 1 };

/** A family that is fine except for what is said. */
function family(change: Partial<Family>): Family {
  return { name: "aggwatch_things", help: "Things.", type: "gauge", samples: [], ...change };
}

const BROKEN: ReadonlyArray<readonly [string, Partial<Family>]> = [
  ["help", { help: "" }],
  ["metric_units", { name: "aggwatch_age_milliseconds" }],
  ["metric_units", { name: "aggwatch_age_hours" }],
  ["counter", { name: "aggwatch_polls", type: "counter" }],
  ["counter", { name: "aggwatch_polls_total" }],
  ["gauge", { name: "aggwatch_seen_timestamp_seconds", type: "histogram" }],
  ["reserved", { name: "aggwatch_things_count" }],
  ["reserved", { samples: [{ ...series, labels: { quantile: "0.5" } }] }],
  ["type_in_name", { name: "aggwatch_things_gauge" }],
  ["reserved_chars", { name: "aggwatch:things" }],
  ["camel_case", { samples: [{ ...series, labels: { pollerName: "a" } }] }],
  ["unit_abbreviations", { name: "aggwatch_age_ms" }],
  ["duplicate_metric", { samples: [series, series] }],
];

describe("the rules of promtool", () => {
  it.each(BROKEN)("notice what breaks them: %s %o", (broken, change) => {
    const complaints = promlint([family(change)]);
    expect(complaints.map((complaint) => complaint.split(": ")[1])).toEqual([broken]);
  });

  it("have each an example that breaks it", () => {
    expect(new Set(BROKEN.map(([broken]) => broken))).toEqual(new Set(Object.keys(PROMLINT)));
    expect(promlint([family({})])).toEqual([]);
  });

  it("are kept by every family of a scrape", async () => {
    const policy = policyOf([rule({ act: repair() })]);
    const scraped = new Scraped(policy).tells({ type: "started" });
    scraped.journalBytes = 4_096;
    scraped.heartbeat = { reasons: ["starting"], lastSuccessAt: 0 };
    expect(promlint(parseExposition(await scraped.text()).values())).toEqual([]);
  });
});
