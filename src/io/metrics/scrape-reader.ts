import { kindOfKey } from "../../domain/entity.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Change } from "../../domain/step.ts";
import { haveSameItems } from "../../domain/values/same-items.ts";
import {
  MOST_SERIES,
  PAUSE,
  type MetricsSource,
  type ScrapedMetric,
  type Series,
} from "./definition.ts";
import { isRawId, type LabelValues } from "./labels.ts";
import { kept, type Chunk } from "./page-bytes.ts";
import { sampleLine } from "./text-format.ts";

/**
 * Reads metrics from state. There may be 100 000 entities, so it reads in slices. No event may be handled between them,
 * so that all is of one instant. A metric is read again only if a change touched it since the last scrape.
 */
export type ScrapeReader = ReturnType<typeof createScrapeReader>;

/** The lines of a metric, and how many series were left out. */
export type Part = { readonly text: string | Chunk; readonly dropped: number };

/** A part stays the same while each of these does. The state becomes another object if the journal is read again. */
type Basis = readonly unknown[];

/** Series a slice. */
const WRITTEN_A_SLICE = 256;

export function createScrapeReader() {
  /** The parts that were read before, and their sources. */
  const known = new Map<string, { readonly basis: Basis; readonly part: Part }>();
  /** Counts of changes: of entities by kind, of other rows by table. */
  const kindVersions = new Map<string, number>();
  const tableVersions = new Map<string, number>();

  /** Undefined if its sources are not declared. */
  function basisOf(
    { kinds, table, objects }: ScrapedMetric,
    source: MetricsSource,
  ): Basis | undefined {
    const { state, policy } = source;
    if (kinds !== undefined) return [state, ...kinds.map((kind) => kindVersions.get(kind))];
    if (table !== undefined) return [state, policy, tableVersions.get(table)];
    return objects && [policy, ...objects(source)];
  }

  return {
    /** An event was handled, and these rows changed. */
    changed: (changes: readonly Change[]): void => {
      for (const { table, key } of changes) {
        if (table === "entity") count(kindVersions, kindOfKey(key));
        else count(tableVersions, table);
      }
    },
    read: function* (metric: ScrapedMetric, source: MetricsSource): Slices<Part> {
      const basis = basisOf(metric, source);
      const old = known.get(metric.name);
      if (basis !== undefined && old !== undefined && haveSameItems(basis, old.basis))
        return old.part;
      const part = yield* readPart(metric, source);
      if (basis !== undefined) known.set(metric.name, { basis, part });
      return part;
    },
  };
}

function* readPart(metric: ScrapedMetric, source: MetricsSource): Slices<Part> {
  const labels = metric.labels.map(({ name }) => name);
  let text = "";
  let written = 0;
  let dropped = 0;
  for (const series of metric.read(source)) {
    if (series !== PAUSE) {
      const line = written < MOST_SERIES ? lineOf(metric.name, labels, series) : undefined;
      if (line === undefined) dropped += 1;
      else {
        text += line;
        written += 1;
      }
    }
    if (series === PAUSE || (written + dropped) % WRITTEN_A_SLICE === 0) yield;
  }
  return { text: kept(text), dropped };
}

/** The line of a series, with labels in their declared order; undefined if one would hold a raw id. */
function lineOf(
  name: string,
  labels: readonly string[],
  [values, value]: Series,
): string | undefined {
  for (const label of labels) {
    const own = values[label];
    if (own === undefined) throw new Error(`the label "${label}" has no value`);
    if (isRawId(own)) return undefined;
  }
  let count = 0;
  for (const _ in values) count += 1;
  if (count !== labels.length) throw new Error(undeclared(labels, values));
  return sampleLine(name, values, value, labels);
}

function undeclared(labels: readonly string[], values: LabelValues): string {
  const label = Object.keys(values).find((name) => !labels.includes(name));
  return `the label "${label}" is not declared`;
}

function count(versions: Map<string, number>, of: string): void {
  versions.set(of, (versions.get(of) ?? 0) + 1);
}
