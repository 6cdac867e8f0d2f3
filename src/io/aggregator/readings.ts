import type { Reply } from "../../aggregator/endpoints/index.ts";
import type { SurfaceReading } from "../../domain/observation.ts";
import type { Poller, ReadContext } from "../../pollers/poller.ts";
import { Sign, type Spend } from "./cache.ts";

/** The readings that a poller made of the replies of a surface, kept for as long as their values are. */
export type Readings = {
  /** `make` is pure: the same replies in the same context are the same reading. */
  readonly of: (
    replies: readonly Reply[],
    source: ReadingSource,
    make: () => SurfaceReading,
  ) => SurfaceReading;
  /** Whether the reading of this value alone is known, so that the value itself is not needed. */
  readonly knows: (value: unknown, source: ReadingSource) => boolean;
};

export type ReadingSource = {
  readonly poller: Poller;
  readonly surface: string;
  readonly context: ReadContext;
};

type CachedReading = ReadingSource & {
  readonly replies: readonly Reply[];
  readonly reading: SurfaceReading;
};

/** By default no value is dropped. */
const KEEP: Spend = () => undefined;

export function createReadings(spend: Spend = KEEP): Readings {
  // By the value of the first reply, so that a reading is forgotten together with its values.
  const cached = new WeakMap<object, CachedReading>();
  const readingOf = (value: unknown): CachedReading | undefined =>
    value instanceof Sign
      ? (value.reading as CachedReading | undefined)
      : cached.get(value as object);
  const keep = (value: object, reading: CachedReading): void => {
    if (value instanceof Sign) value.reading = reading;
    else cached.set(value, reading);
  };
  return {
    of: (replies, source, make) => {
      const key = replies[0]?.value;
      if (key === undefined) return make();
      const known = readingOf(key);
      if (known !== undefined && isSame(known, replies, source)) return known.reading;
      const reading = make();
      const [only, ...others] = replies;
      const sign: object | undefined =
        only !== undefined && others.length === 0 && reading.ok
          ? spend(key, reading.entities.length)
          : undefined;
      // The sign takes the place of the value, which is only compared by identity from now on.
      const kept = sign === undefined ? replies : [{ ...only, value: sign } as Reply];
      keep(sign ?? key, { ...source, replies: kept, reading });
      return reading;
    },
    knows: (value, source) => {
      const known = readingOf(value);
      return known?.replies.length === 1 && isSameSource(known, source);
    },
  };
}

function isSameSource(known: ReadingSource, { poller, surface, context }: ReadingSource): boolean {
  return (
    known.poller === poller &&
    known.surface === surface &&
    known.context.watch === context.watch &&
    known.context.statuses === context.statuses
  );
}

function isSame(known: CachedReading, replies: readonly Reply[], source: ReadingSource): boolean {
  return (
    isSameSource(known, source) &&
    known.replies.length === replies.length &&
    known.replies.every(
      ({ endpoint, value, malformed, doubt }, index) =>
        endpoint === replies[index]?.endpoint &&
        value === replies[index].value &&
        malformed === replies[index].malformed &&
        doubt === replies[index].doubt,
    )
  );
}
