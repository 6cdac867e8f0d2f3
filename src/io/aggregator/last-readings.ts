import type { Reply } from "../../aggregator/decoders/index.ts";
import type { SurfaceReading } from "../../domain/observation.ts";
import type { ReadContext } from "../../pollers/poller.ts";

/**
 * What a poller last made of each of its surfaces, so that the same answers need not be looked
 * through again. The transport gives the same objects for the same bodies, so that is all that is
 * compared; the reading is then the same too, as `read` is pure.
 */
export type LastReadings = {
  readonly of: (
    surface: string,
    replies: readonly Reply[],
    context: ReadContext,
    make: () => SurfaceReading,
  ) => SurfaceReading;
  /** Forgets the surfaces that are not among these. */
  readonly keepOnly: (surfaces: ReadonlySet<string>) => void;
};

type Last = {
  readonly replies: readonly Reply[];
  readonly context: ReadContext;
  readonly reading: SurfaceReading;
};

export function createLastReadings(): LastReadings {
  const last = new Map<string, Last>();
  return {
    of: (surface, replies, context, make) => {
      const known = last.get(surface);
      if (known !== undefined && isSame(known, replies, context)) return known.reading;
      const reading = make();
      last.set(surface, { replies, context, reading });
      return reading;
    },
    keepOnly: (surfaces) => {
      for (const surface of last.keys()) if (!surfaces.has(surface)) last.delete(surface);
    },
  };
}

function isSame(known: Last, replies: readonly Reply[], context: ReadContext): boolean {
  if (known.context.watch !== context.watch || known.context.statuses !== context.statuses)
    return false;
  if (known.replies.length !== replies.length) return false;
  return replies.every((reply, index) => {
    const before = known.replies[index];
    return (
      reply.endpoint === before?.endpoint &&
      reply.value === before.value &&
      reply.malformed === before.malformed
    );
  });
}
