import { Gauge, Registry } from "prom-client";
import { createMetrics, type Metrics } from "../src/io/metrics/metrics.ts";
import type { State } from "../src/core/state.ts";
import type { Change, Policy } from "../src/domain/step.ts";
import { compare, longestBlockMs, median, type Rounds } from "./measure.ts";
import { populate } from "./population.ts";
import { grouped, milliseconds, type Row } from "./table.ts";
import { shippedPolicy, watch } from "./watched.ts";

/** A whole answer to `/metrics`, beside plain gauges of the library that give the same series. */
export async function benchScrape(sizes: readonly number[], rounds: Rounds): Promise<Row[]> {
  const policy = shippedPolicy();
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await benchSize(policy, size, rounds)));
  return rows;
}

/** Everything has changed since the scrape before, or nothing has. */
const CASES = ["all changed", "nothing changed"] as const;

async function benchSize(policy: Policy, size: number, rounds: Rounds): Promise<Row[]> {
  const { state } = watch(policy, populate({ size, badShare: 0.01 }));
  const metrics = metricsOf(policy, state);
  const everything = changesOfEverything(state);
  const page = await metrics.render();
  const series = seriesOf(Buffer.from(page.plain()).toString());
  const baseline = plainGauges(series);
  const turns = size < 10_000 ? 10 : 2;
  const note = `${grouped(series.length)} series, ${grouped(page.length / 1_000)} kB`;
  const rows: Row[] = [];
  for (const name of CASES) {
    const ours = async (): Promise<void> => {
      if (name === "all changed") metrics.changed(everything);
      (await metrics.render()).plain();
    };
    const compared = await compare(rounds, { turns, ours, baseline });
    const blocks: number[] = [];
    const baselineBlocks: number[] = [];
    for (let round = 0; round < rounds.rounds; round += 1) {
      blocks.push(await longestBlockMs(ours));
      baselineBlocks.push(await longestBlockMs(baseline));
    }
    for (const [what, oursMs, baselineMs] of [
      ["time", compared.oursMs, compared.baselineMs],
      ["longest block of the event loop", median(blocks), median(baselineBlocks)],
    ] as const) {
      rows.push({
        name: `scrape: ${what}, ${name}`,
        size,
        ours: milliseconds(oursMs),
        baseline: milliseconds(baselineMs),
        ratio: oursMs / baselineMs,
        note,
      });
    }
  }
  return rows;
}

function metricsOf(policy: Policy, state: State): Metrics {
  return createMetrics({
    policy,
    source: () => ({
      version: "0.0.0",
      nodeVersion: process.version,
      startedAt: 0,
      policy,
      state,
      journalWritable: true,
      reload: { successful: true, successAt: 0, hash: 1 },
      watched: () => [],
      slots: () => [],
      clients: () => [],
    }),
    onError: (metric, error) => {
      throw new Error(`${metric} cannot be read`, { cause: error });
    },
  });
}

/** What a step reports that has changed an entity of every kind. */
function changesOfEverything(state: State): Change[] {
  return [...state.entitiesByKind.values()].flatMap(([key]) =>
    key === undefined ? [] : [{ table: "entity", key, value: undefined } as const],
  );
}

type Series = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

/** Every series of a page in the text format; none of ours has a quote or a line break in a label. */
export function seriesOf(text: string): Series[] {
  return text.split("\n").flatMap((line): Series[] => {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", of = ""]) => [
      label,
      of,
    ]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** Sets every series again and renders, as whoever uses the library alone does. */
function plainGauges(series: readonly Series[]): () => Promise<void> {
  const registry = new Registry();
  const gauges = new Map<string, Gauge<string>>();
  for (const { name, labels } of series) {
    if (gauges.has(name)) continue;
    const labelNames = Object.keys(labels);
    const gauge = new Gauge<string>({ name, help: name, labelNames, registers: [registry] });
    gauges.set(name, gauge);
  }
  return async () => {
    for (const gauge of gauges.values()) gauge.reset();
    for (const { name, labels, value } of series) gauges.get(name)?.set(labels, value);
    await registry.metrics();
  };
}
