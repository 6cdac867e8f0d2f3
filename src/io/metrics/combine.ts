import type { Series } from "./definition.ts";
import type { LabelValues } from "./labels.ts";

/** How the values of entities with the same labels become one. */
export type Combine = "sum" | "min";

/**
 * A node of a tree of series, with one level for each label. The alternative, one key of all label values, must be
 * built and hashed for each entity, which costs several times as much.
 */
export class Place {
  series: [LabelValues, number] | undefined;
  private readonly next = new Map<string, Place>();

  below(value: string): Place {
    let place = this.next.get(value);
    if (place === undefined) this.next.set(value, (place = new Place()));
    return place;
  }
}

/** Combines all values at the same place into one series; the series are in the order of their first values. */
export function createCombined(combine: Combine) {
  const all: Array<[LabelValues, number]> = [];
  return {
    root: new Place(),
    /** Adds the value to the series of the place; false if it has none yet. */
    join: ({ series }: Place, value: number): boolean => {
      if (series === undefined) return false;
      series[1] = combine === "sum" ? series[1] + value : Math.min(series[1], value);
      return true;
    },
    begin: (place: Place, labels: LabelValues, value: number): void =>
      void all.push((place.series = [labels, value])),
    series: (): Iterable<Series> => all,
  };
}
