import type { Slices } from "../../../domain/slices.ts";
import { MINUTE, SECOND, type Instant, type Millis } from "../../../domain/time.ts";
import type { View } from "../lists/view.ts";
import { gather, type Noted } from "./gathered.ts";
import type { Message } from "./message.ts";
import type { Topic } from "./messages.ts";
import type { createRun, Run } from "./run.ts";

/**
 * Sends viewers what changed, once a second, the same messages to all. Without viewers it costs nothing after a minute.
 */
export type Feed = {
  /** Collects the changes and findings of a step, after its commit. */
  readonly note: (result: Noted, at: Instant) => Slices;
  /**
   * Sends the viewer each message from now on, and first those after the id that it had last. If these are no longer
   * kept, or it never had an id, it must read everything again.
   */
  readonly join: (viewer: Viewer, lastId: string | undefined) => Promise<void>;
  readonly leave: (viewer: Viewer) => void;
  /** Cuts every viewer, also one that joins later: another feed may know what this one does not. */
  readonly close: () => void;
};

export type Viewer = {
  readonly topics: ReadonlySet<Topic>;
  readonly send: (message: Message) => void;
  readonly cut: () => void;
};

type FeedOptions = {
  readonly view: () => View;
  /** Resolves when no event is being handled. */
  readonly idle: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Calls `work` again and again until the returned function is called. */
  readonly every?: (lengthMs: Millis, work: () => void) => () => void;
};

const INTERVAL: Millis = SECOND;
/** How long the feed goes on after its last viewer left: one that comes back continues where it was. */
const REMEMBERED: Millis = MINUTE;
export function createFeed({ view, idle, onError, every = inTime }: FeedOptions): Feed {
  const viewers = new Set<Viewer>();
  let current: { readonly run: Run; readonly stop: () => void } | undefined;
  let isClosed = false;

  function begin(create: typeof createRun): NonNullable<typeof current> {
    let aloneFor: Millis = 0;
    const send = (message: Message): void => {
      for (const viewer of viewers) sendTo(viewer, message);
    };
    const run = create({ view, idle, send });
    const stop = every(INTERVAL, () => {
      aloneFor = viewers.size === 0 ? aloneFor + INTERVAL : 0;
      if (aloneFor > REMEMBERED) end();
      else run.sendChanges().catch(onError);
    });
    return { run, stop };
  }

  function end(): void {
    current?.stop();
    current = undefined;
  }

  return {
    note: function* (result, at) {
      if (current !== undefined) yield* gather(current.run.gathered(), result, at);
    },
    join: async (viewer, lastId) => {
      // Loaded at the first viewer: the schemas of its messages are many, and would slow down every start.
      const { createRun: create } = await import("./run.ts");
      if (isClosed) return viewer.cut();
      current ??= begin(create);
      const { run } = current;
      try {
        await run.ready;
      } catch (error) {
        end();
        throw error;
      }
      if (isClosed) return viewer.cut();
      // No await from here on, so that no message is missed and none is sent twice.
      const missed = run.kept.after(lastId) ?? [run.reset()];
      for (const message of missed) sendTo(viewer, message);
      viewers.add(viewer);
    },
    leave: (viewer) => void viewers.delete(viewer),
    close: () => {
      isClosed = true;
      end();
      for (const viewer of viewers) viewer.cut();
    },
  };
}

function sendTo({ topics, send }: Viewer, message: Message): void {
  if (message.topic === undefined || topics.has(message.topic)) send(message);
}

function inTime(lengthMs: Millis, work: () => void): () => void {
  const timer = setInterval(work, lengthMs);
  timer.unref();
  return () => clearInterval(timer);
}
