import { DEFAULT_LIMITS } from "../../src/domain/limits.ts";
import { MOST_WAITING, MOST_WAITING_EVENTS } from "../../src/core/tell/outbox.ts";
import { MOST_SERIES } from "../../src/io/metrics/definition.ts";

/** What was true of the daemon at one instant; sizes in bytes. */
export type Sample = {
  readonly seconds: number;
  readonly rss: number;
  readonly heap: number;
  readonly journal: number;
  readonly series: number;
  /** Of the channel in which most waits. */
  readonly outbox: number;
  readonly entities: number;
  readonly firing: number;
  readonly leftOut: number;
  /** Bounds that are broken now, in words. */
  readonly broken: readonly string[];
};

type Line = { readonly name: string; readonly labels: string; readonly value: number };

/** Reads a sample from the text of /metrics. */
export function sampleOf(seconds: number, text: string): Sample {
  const lines = text.split("\n").flatMap(lineOf);
  const values = (name: string): number[] =>
    lines.filter((line) => line.name === name).map(({ value }) => value);
  const sum = (name: string): number => values(name).reduce((all, value) => all + value, 0);
  const outbox = Math.max(0, ...values("aggwatch_outbox_notifications"));
  return {
    seconds,
    rss: sum("process_resident_memory_bytes"),
    heap: sum("nodejs_heap_size_used_bytes"),
    journal: sum("aggwatch_journal_size_bytes"),
    series: lines.length,
    outbox,
    entities: sum("aggwatch_entities"),
    firing: lines
      .filter(({ name, labels }) => name === "aggwatch_alerts" && labels.includes('state="firing"'))
      .reduce((all, { value }) => all + value, 0),
    leftOut: sum("aggwatch_entities_left_out_total"),
    broken: [...tooManySeries(lines), ...tooManyEntities(lines), ...tooMuchWaits(outbox)],
  };
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

function lineOf(text: string): Line[] {
  const [, name, labels = "", value] = LINE.exec(text) ?? [];
  return name === undefined ? [] : [{ name, labels, value: Number(value) }];
}

function tooManySeries(lines: readonly Line[]): string[] {
  const byName = Map.groupBy(lines, ({ name }) => name);
  return [...byName].flatMap(([name, { length }]) =>
    length > MOST_SERIES ? [`${name} has ${length} series, ${MOST_SERIES} are allowed`] : [],
  );
}

function tooManyEntities(lines: readonly Line[]): string[] {
  const { entities } = DEFAULT_LIMITS;
  return lines.flatMap(({ name, labels, value }) =>
    name === "aggwatch_entities" && value > entities
      ? [`there are ${value} entities of ${labels}, ${entities} are allowed`]
      : [],
  );
}

function tooMuchWaits(outbox: number): string[] {
  const most = MOST_WAITING + MOST_WAITING_EVENTS;
  return outbox > most ? [`${outbox} notifications wait in a channel, ${most} are allowed`] : [];
}

/** How many times as large the median of the last third is as that of the one before. */
export function growth(samples: readonly Sample[], of: "rss" | "heap"): number {
  const third = Math.floor(samples.length / 3);
  const middle = (part: readonly Sample[]): number =>
    part.map((sample) => sample[of]).sort((one, other) => one - other)[part.length >> 1] ??
    Number.NaN;
  return middle(samples.slice(-third)) / middle(samples.slice(third, -third));
}
