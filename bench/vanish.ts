import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SeenEntity } from "../src/domain/entity.ts";
import type { Event } from "../src/domain/step.ts";
import { SECOND, type Millis } from "../src/domain/time.ts";
import { openJournal, type Journal } from "../src/io/journal/journal.ts";
import { createMetrics } from "../src/io/metrics/metrics.ts";
import { createLog } from "../src/io/process/log.ts";
import { createTimeSlice, type TimeSlice } from "../src/io/process/time-slice.ts";
import { createRecorder } from "../src/record/recorder.ts";
import { createLoop, type Loop } from "../src/run/loop.ts";
import { createPublisher } from "../src/run/publisher.ts";
import { longestBlocks } from "./measure.ts";
import { AGGREGATOR, START } from "./population.ts";
import { milliseconds, type Row } from "./table.ts";
import { shippedPolicy } from "./watched.ts";

/** How many are left: the listing is not empty. */
const LEFT = 3;

/** What listings lose at once, and what each of them is. */
const NAMES: Readonly<Record<string, (index: number) => SeenEntity>> = {
  exchanges: (index) => {
    const name = `EXCHANGE${index}`;
    return {
      kind: "exchange",
      id: name,
      facts: { name, status: "enabled", listed: true, disabled: false },
    };
  },
  "disabled pairs": (index) => {
    const [exchange, asset] = [`EXCHANGE${index % 100}`, `A${index}-USDT`];
    const name = `${exchange}/${asset}`;
    return {
      kind: "pair",
      id: name,
      parent: { kind: "exchange", id: exchange },
      facts: { name, exchange, asset_pair: asset, status: "disabled" },
    };
  },
};

/**
 * The longest block of the event loop while a listing appears, and while all but three of its names vanish: the poll that
 * is doubted, and the one that confirms it. Ours takes long events in slices; the baseline takes each at once.
 */
export async function benchVanish(size: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, nameOf] of Object.entries(NAMES)) {
    const baseline = await blocksOf(size, nameOf);
    const ours = await blocksOf(size, nameOf, createTimeSlice());
    for (const [index, { event, blockMs, cpuMs, tookMs }] of ours.entries()) {
      const baselineMs = baseline[index]?.blockMs ?? Number.NaN;
      rows.push({
        name: `vanish: longest block, ${what} ${event}`,
        size,
        ours: milliseconds(blockMs),
        baseline: milliseconds(baselineMs),
        ratio: blockMs / baselineMs,
        note: `processor time: ${milliseconds(cpuMs)}; ${milliseconds(tookMs)} in all`,
      });
    }
  }
  return rows;
}

type Block = {
  readonly event: string;
  readonly blockMs: Millis;
  /** The longest in processor time, which may be another one. */
  readonly cpuMs: Millis;
  readonly tookMs: Millis;
};

async function blocksOf(
  size: number,
  nameOf: (index: number) => SeenEntity,
  slice?: TimeSlice,
): Promise<Block[]> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  const journal = openJournal(directory);
  if (!journal.ok) throw new Error(journal.problem);
  const world = { now: START };
  const loop = daemonLoop(world, journal.value, slice);
  const listing = (count: number): SeenEntity[] =>
    Array.from({ length: count }, (_, i) => nameOf(i));
  const blocks: Block[] = [];
  const take = async (what: string, entities: readonly SeenEntity[]): Promise<void> => {
    world.now += 10 * SECOND;
    const event = pollOf(entities, world.now);
    const began = performance.now();
    const { wallMs: blockMs, cpuMs } = await longestBlocks(async () => {
      loop.push(event);
      await loop.caughtUp();
    });
    blocks.push({ event: what, blockMs, cpuMs, tookMs: performance.now() - began });
  };
  try {
    loop.push({ type: "started" });
    await loop.caughtUp();
    await take("appear", listing(size));
    await take("are the same", listing(size));
    await take("vanish, doubted", listing(LEFT));
    await take("vanish, confirmed", listing(LEFT));
    return blocks;
  } finally {
    journal.value.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The loop as the daemon has it, with journal, record, log and metrics, and nothing to send. */
function daemonLoop(
  world: { readonly now: number },
  journal: Journal,
  slice: TimeSlice | undefined,
): Loop {
  const policy = shippedPolicy();
  const log = createLog({ level: "info", format: "json" }, { isTerminal: false }, () => undefined);
  const source = (): never => {
    throw new Error("nothing is scraped");
  };
  const metrics = createMetrics({ policy, source, onError: () => undefined });
  const onBug = (error: unknown): never => {
    throw error;
  };
  const { publish } = createPublisher(log, metrics, { onResumed: () => undefined });
  const recorder = createRecorder(() => policy.aggregators);
  const clock = { now: () => world.now };
  const perform = (): void => undefined;
  return createLoop(policy, { clock, journal, recorder, slice, publish, onBug, perform });
}

function pollOf(entities: readonly SeenEntity[], askedAt: number): Event {
  const part = {
    surface: "all",
    askedAt,
    reading: { ok: true, complete: true, entities },
  } as const;
  const of = {
    aggregator: AGGREGATOR,
    poller: "exchanges",
    origin: "poll",
    durationMs: 5,
  } as const;
  return { type: "observed", observation: { ...of, parts: [part] } };
}
