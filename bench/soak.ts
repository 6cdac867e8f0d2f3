import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { chart } from "./soak/chart.ts";
import { startLyingAggregator } from "./soak/lying-aggregator.ts";
import { growth, sampleOf, type Sample } from "./soak/samples.ts";
import { startSoakedDaemon } from "./soak/soaked-daemon.ts";
import { grouped } from "./table.ts";

/**
 * `npm run bench -- soak --minutes 60`: a real daemon in act mode under an aggregator that lies, with
 * every receiver down. Exit code 1 if a bound is broken, or memory still grows in the last third.
 */
const OPTIONS = {
  minutes: { type: "string", default: "1" },
  /** Seconds between two samples. */
  every: { type: "string", default: "10" },
  seed: { type: "string", default: "1" },
  /** The largest old space of the daemon's heap, in MB. */
  heap: { type: "string" },
  /** RSS of the last third over that of the one before. */
  growth: { type: "string", default: "1.25" },
  json: { type: "string" },
  svg: { type: "string" },
} as const;

export async function soak(args: readonly string[], say: (line: string) => void): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const minutes = Number(values.minutes);
  const everyMs = Math.min(Number(values.every) * 1_000, (minutes * 60_000) / 12);
  const samples: Sample[] = [];
  const aggregator = await startLyingAggregator(Number(values.seed));
  let problem: string | undefined;
  try {
    const daemon = await startSoakedDaemon(
      aggregator.url,
      values.heap === undefined ? undefined : Number(values.heap),
    );
    let isOver = false;
    const noteEnd = async (): Promise<void> => {
      const code = await daemon.ended;
      if (!isOver) problem ??= `the daemon ended with ${code}`;
    };
    void noteEnd();
    const interrupt = (): void => void (problem ??= "interrupted");
    process.once("SIGINT", interrupt);
    const from = performance.now();
    try {
      while (problem === undefined && performance.now() - from < minutes * 60_000) {
        await pause(everyMs);
        const seconds = (performance.now() - from) / 1_000;
        const read = await metricsOf(daemon.url);
        if (read === undefined) problem ??= "the daemon does not answer";
        else samples.push(sampleOf(seconds, read));
      }
    } finally {
      process.off("SIGINT", interrupt);
      isOver = true;
      await daemon.stop();
    }
  } finally {
    aggregator.close();
  }
  const broken = [
    ...new Set([
      ...(problem === undefined ? [] : [problem]),
      ...samples.flatMap((one) => one.broken),
    ]),
  ];
  const grown = growth(samples, "rss");
  if (!(grown <= Number(values.growth)))
    broken.push(`RSS of the last third is ${grown.toFixed(2)} times that of the one before`);
  for (const line of report(samples, aggregator.requests, grown)) say(line);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ grown, broken, samples }, null, 1)}\n`);
  if (values.svg !== undefined) writeFileSync(values.svg, chart(samples));
  for (const line of broken) say(`BROKEN: ${line}`);
  return broken.length === 0;
}

async function metricsOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(30_000) });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

const SHOWN_ROWS = 12;

/** Some of the samples as a table that is Markdown too. */
function report(
  samples: readonly Sample[],
  requests: Readonly<Record<string, number>>,
  grown: number,
): string[] {
  const step = Math.max(1, Math.floor(samples.length / SHOWN_ROWS));
  const shown = samples.filter((_, index) => (samples.length - 1 - index) % step === 0);
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);
  return [
    "| minutes | RSS, MB | heap, MB | journal, MB | series | outbox | entities | alerts firing | left out |",
    "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ...shown.map(
      (one) =>
        `| ${(one.seconds / 60).toFixed(1)} | ${mb(one.rss)} | ${mb(one.heap)} | ${mb(one.journal)} | ${[one.series, one.outbox, one.entities, one.firing, one.leftOut].map(grouped).join(" | ")} |`,
    ),
    "",
    `${samples.length} samples; RSS of the last third: ${grown.toFixed(2)} times that of the one before; requests: ${JSON.stringify(requests)}`,
  ];
}
