import type { Change } from "../../domain/step.ts";
import type { State } from "../../core/state.ts";
import { MOST_SERIES, PAUSE, type GaugeDefinition, type MetricsSource } from "./definition.ts";
import { sampleLine, type Bytes } from "./text-format.ts";
import type { Turns } from "./turns.ts";

/**
 * Reads gauges from state. There may be 100 000 entities, so it stops now and then to let the loop
 * turn, and what no change has touched since the last scrape is not read again. Each group of series is of
 * one instant all the same: where something happened while it was read, it is read anew at a stretch.
 */
export type GaugeReader = {
  /** The gauge's lines, and how many series are left out. */
  readonly read: (definition: GaugeDefinition, turns: Turns) => Promise<Lines>;
  /** An event was handled, and these rows changed. */
  readonly changed: (changes: readonly Change[]) => void;
};

export type Lines = { readonly parts: readonly Bytes[]; readonly dropped: number };

type Part = { readonly text: Bytes; readonly dropped: number };

/** What was read before, and of what: another state object is one that was made anew from the journal. */
type Known = { readonly state: State; readonly version: number; readonly part: Part };

/** How many series are written between two looks at the clock. */
const LOOK_EVERY = 256;

export function createGaugeReader(source: () => MetricsSource): GaugeReader {
  const known = new Map<string, Known>();
  const versions = new Map<string, number>();
  let events = 0;
  const versionOf = (kinds: readonly string[]): number =>
    kinds.reduce((sum, kind) => sum + (versions.get(kind) ?? 0), 0);

  async function readPart(
    definition: GaugeDefinition,
    kinds: readonly string[],
    turns: Turns,
  ): Promise<Part> {
    const before = events;
    const reading = readAll(definition, source(), kinds, turns);
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done === true) return next.value;
      await turns.pass();
      if (events !== before) return atAStretch(definition, source(), kinds);
    }
  }

  return {
    changed: (changes) => {
      events += 1;
      for (const { table, key } of changes) {
        if (table !== "entity") continue;
        const kind = kindOf(key);
        versions.set(kind, (versions.get(kind) ?? 0) + 1);
      }
    },
    read: async (definition, turns) => {
      const { kinds: groups, name } = definition;
      if (groups === undefined) return linesOf([await readPart(definition, [], turns)]);
      const parts: Part[] = [];
      for (const kinds of groups(source())) {
        const key = `${name} ${kinds.join(" ")}`;
        const { state } = source();
        const version = versionOf(kinds);
        const old = known.get(key);
        if (old?.state === state && old.version === version) {
          parts.push(old.part);
          continue;
        }
        const part = await readPart(definition, kinds, turns);
        // What changed meanwhile was read anew; whether with it or after it is not known, so it is not kept.
        if (versionOf(kinds) === version) known.set(key, { state, version, part });
        parts.push(part);
      }
      return linesOf(parts);
    },
  };
}

function linesOf(parts: readonly Part[]): Lines {
  return {
    parts: parts.map(({ text }) => text),
    dropped: parts.reduce((sum, { dropped }) => sum + dropped, 0),
  };
}

/** Yields where it may be interrupted and should be. */
function* readAll(
  { name, read }: GaugeDefinition,
  source: MetricsSource,
  kinds: readonly string[],
  turns?: Turns,
): Generator<void, Part> {
  let text = "";
  let count = 0;
  for (const series of read(source, kinds)) {
    if (series !== PAUSE) {
      count += 1;
      if (count <= MOST_SERIES) text += sampleLine(name, series[0], series[1]);
    }
    const mayPause = series === PAUSE || count % LOOK_EVERY === 0;
    if (mayPause && turns?.isDue() === true) yield;
  }
  return { text: Buffer.from(text), dropped: Math.max(0, count - MOST_SERIES) };
}

function atAStretch(
  definition: GaugeDefinition,
  source: MetricsSource,
  kinds: readonly string[],
): Part {
  const reading = readAll(definition, source, kinds);
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done === true) return next.value;
  }
}

/** The kind in the key of an entity: only the id may hold a slash. */
function kindOf(key: string): string {
  const start = key.indexOf("/") + 1;
  return key.slice(start, key.indexOf("/", start));
}
