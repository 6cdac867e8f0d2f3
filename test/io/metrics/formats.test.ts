/** Tests src/io/metrics: formats. */
import { describe, expect, it } from "vitest";
import {
  CONTENT_TYPES,
  headOf,
  numberText,
  sampleLine,
} from "../../../src/io/metrics/text-format.ts";
import { formatFor, takesGzip } from "../../../src/io/metrics/negotiate.ts";
import { exchange, policyOf, repair, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { parseExposition } from "./exposition.ts";
import { parseOpenMetrics } from "./openmetrics.ts";
import { Scraped, textOf } from "./scrape.ts";

function eventful(): Scraped {
  const scraped = new Scraped(policyOf([rule({ act: repair() })])).tells({ type: "started" });
  const listed = [exchange('A"} 1\nfake{x="\\', "disabled"), exchange("B", "enabled")];
  return scraped.tells(observed("exchanges", [partOf("all", scraped.now, listed)]));
}

const PROMETHEUS_2 =
  "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

describe("OpenMetrics", () => {
  it("is what the specification says, on a whole page with hostile names", async () => {
    const text = textOf(await eventful().metrics.render("openmetrics"));
    const families = parseOpenMetrics(text);
    expect(families.get("aggwatch_polls")).toMatchObject({ type: "counter", unit: "" });
    expect(families.get("process_cpu_seconds")).toMatchObject({ type: "counter", unit: "seconds" });
    expect(families.get("aggwatch_poll_duration_seconds")).toMatchObject({ unit: "seconds" });
    expect(families.get("process_resident_memory_bytes")?.unit).toBe("bytes");
    expect(text).toContain('aggwatch_poll_duration_seconds_bucket{le="1.0"');
    expect([...families.values()].filter(({ help }) => help === undefined)).toEqual([]);
  });

  it("says the same as the text format, sample by sample", async () => {
    const scraped = eventful();
    const plain = textOf(await scraped.metrics.render("prometheus"));
    const open = textOf(await scraped.metrics.render("openmetrics"));
    const own = (text: string): string[] =>
      text
        .split("\n")
        .filter((line) => line.startsWith("aggwatch_") && !line.startsWith("aggwatch_event_loop"))
        .map((line) => line.replace(/le="(\d+)\.0"/, 'le="$1"'));
    expect(own(open)).toEqual(own(plain));
    expect(parseExposition(plain).size).toBe(parseOpenMetrics(open).size);
  });
});

describe("exemplars", () => {
  const polled = (took: number) =>
    ({
      type: "polled",
      aggregator: "bsc",
      poller: "exchanges",
      origin: "poll",
      outcome: "complete",
      durationMs: took,
      detail: "",
    }) as const;
  const pageOf = async (hasExemplars: boolean, format: "openmetrics" | "prometheus") => {
    const scraped = new Scraped(policyOf([rule({ act: repair() })]), hasExemplars);
    scraped.metrics.count([polled(70)]);
    scraped.metrics.count([polled(80)], { trace_id: "ab12", span_id: "cd34" });
    const text = textOf(await scraped.metrics.render(format));
    return text.split("\n").filter((line) => line.startsWith("aggwatch_"));
  };

  it("name the trace of the newest sample of a bucket, and nothing else differs", async () => {
    const with_ = await pageOf(true, "openmetrics");
    const named = with_.filter((line) => line.includes(" # "));
    expect(named).toHaveLength(1);
    expect(named[0]).toMatch(
      /^aggwatch_poll_duration_seconds_bucket\{.*\} 2 # \{trace_id="ab12",span_id="cd34"\} 0\.08 \d+(\.\d+)?$/,
    );
    const own = (lines: readonly string[]) =>
      lines.filter((line) => !line.startsWith("aggwatch_event_loop"));
    const without = with_.map((line) => line.replace(/ # .*$/, ""));
    expect(own(without)).toEqual(own(await pageOf(false, "openmetrics")));
    expect(own(await pageOf(true, "prometheus"))).toEqual(own(await pageOf(false, "prometheus")));
  });
});

describe("the lines of a family", () => {
  it("escape what each format wants to be escaped", () => {
    expect(headOf("prometheus", { name: "a", help: 'x\\"\n', type: "gauge" })).toBe(
      '# HELP a x\\\\"\\n\n# TYPE a gauge\n',
    );
    expect(headOf("openmetrics", { name: "a_seconds_total", help: 'x"', type: "counter" })).toBe(
      '# TYPE a_seconds counter\n# UNIT a_seconds seconds\n# HELP a_seconds x\\"\n',
    );
    expect(sampleLine("a", { b: '"\\\n', c: "" }, 1)).toBe('a{b="\\"\\\\\\n",c=""} 1\n');
    expect([Infinity, -Infinity, NaN, 0.5, 1e21].map(numberText)).toEqual([
      "+Inf",
      "-Inf",
      "NaN",
      "0.5",
      "1e+21",
    ]);
  });
});

describe("what a scraper is given", () => {
  it.each([
    [undefined, "prometheus"],
    ["", "prometheus"],
    ["*/*", "prometheus"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "prometheus"],
    [PROMETHEUS_2, "openmetrics"],
    ["text/plain;version=0.0.4", "prometheus"],
    ["application/openmetrics-text; version=1.0.0", "openmetrics"],
    ["application/openmetrics-text;q=0", "prometheus"],
    ["application/openmetrics-text;q=0.3,text/plain;q=0.5", "prometheus"],
    ["application/openmetrics-text;q=lots", "prometheus"],
  ])("Accept: %s gives %s", (accept, format) => {
    expect(formatFor(accept)).toBe(format);
    expect(CONTENT_TYPES).toHaveProperty(formatFor(accept));
  });

  it.each([
    [undefined, false],
    ["gzip", true],
    ["deflate, gzip;q=1.0, *;q=0.5", true],
    ["gzip;q=0", false],
    ["gzip;q=0, *;q=1", false],
    ["br", false],
    ["*", true],
    ["identity", false],
  ])("Accept-Encoding: %s takes gzip: %s", (header, takes) => {
    expect(takesGzip(header)).toBe(takes);
  });
});
