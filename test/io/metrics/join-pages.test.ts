import { expect, it } from "vitest";
import { joinPages } from "../../../src/io/metrics/join-pages.ts";
import { pageOf, type Page } from "../../../src/io/metrics/page-bytes.ts";
import { textOf } from "./scrape.ts";

const pageWith = (lines: readonly string[]): Page =>
  pageOf([{ bytes: Buffer.from(`${lines.join("\n")}\n`) }]);
const linesOf = (page: Page): readonly string[] => textOf(page).trimEnd().split("\n");

const OWN = [
  "# HELP aggwatch_replica_owner 1 if it acts.",
  "# TYPE aggwatch_replica_owner gauge",
  "aggwatch_replica_owner 1",
  "# HELP aggwatch_up Up.",
  "# TYPE aggwatch_up gauge",
  'aggwatch_up{aggregator="a",poller="pools"} 1',
  "# HELP process_cpu_seconds_total CPU.",
  "# TYPE process_cpu_seconds_total counter",
  "process_cpu_seconds_total 3",
  "# HELP aggwatch_started_timestamp_seconds Started.",
  "# TYPE aggwatch_started_timestamp_seconds gauge",
  "aggwatch_started_timestamp_seconds 7",
];
const UNIT = [
  "# HELP aggwatch_replica_owner 1 if it acts.",
  "# TYPE aggwatch_replica_owner gauge",
  "aggwatch_replica_owner 1",
  "# HELP aggwatch_up Up.",
  "# TYPE aggwatch_up gauge",
  'aggwatch_up{aggregator="a",poller="swaps"} 0',
  "# HELP aggwatch_took_seconds Took.",
  "# TYPE aggwatch_took_seconds histogram",
  'aggwatch_took_seconds_bucket{le="1"} 2',
  "aggwatch_took_seconds_sum 1.5",
  "# HELP process_cpu_seconds_total CPU.",
  "# TYPE process_cpu_seconds_total counter",
  "process_cpu_seconds_total 3",
  "# HELP aggwatch_started_timestamp_seconds Started.",
  "# TYPE aggwatch_started_timestamp_seconds gauge",
  "aggwatch_started_timestamp_seconds 7",
];

it("each family stands once, a unit's series say whose they are, and the process is counted once", () => {
  const joined = joinPages(
    "prometheus",
    pageWith(OWN),
    [{ unit: "senders/2", page: pageWith(UNIT) }],
    ["senders/1"],
  );
  expect(linesOf(joined)).toEqual([
    ...OWN.slice(0, 3),
    'aggwatch_replica_owner{unit="senders/2"} 1',
    'aggwatch_replica_owner{unit="senders/1"} 0',
    ...OWN.slice(3, 6),
    'aggwatch_up{unit="senders/2",aggregator="a",poller="swaps"} 0',
    ...OWN.slice(6),
    ...UNIT.slice(6, 8),
    'aggwatch_took_seconds_bucket{unit="senders/2",le="1"} 2',
    'aggwatch_took_seconds_sum{unit="senders/2"} 1.5',
  ]);
});

it("OpenMetrics ends once, at the end", () => {
  const page = pageWith(["# TYPE x gauge", "# HELP x X.", "x 1", "# EOF"]);
  const joined = joinPages("openmetrics", page, [{ unit: "senders/1", page }], []);
  expect(linesOf(joined)).toEqual([
    "# TYPE x gauge",
    "# HELP x X.",
    "x 1",
    'x{unit="senders/1"} 1',
    "# EOF",
  ]);
});
