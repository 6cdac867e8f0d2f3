import { signal } from "@preact/signals";
import type { Change } from "./changes.ts";

/** What the daemon sends of its own accord: that something has changed, and of lists, what. */

export type Topic = "entities" | "alerts";

type Listener = (changes: ReadonlyMap<string, Change> | undefined) => void;

/** If changes are sent; otherwise everything is asked for again and again. */
export const isLive = signal(false);

const listeners: Readonly<Record<Topic, Set<Listener>>> = {
  entities: new Set(),
  alerts: new Set(),
};

/**
 * Calls with the changes of each message; undefined: read the list anew. What changes of entities is much, so it is sent
 * while a list of them is shown, and not otherwise.
 */
export function onChanges(topic: Topic, listener: Listener): () => void {
  listeners[topic].add(listener);
  listenAgain?.();
  return () => {
    listeners[topic].delete(listener);
    listenAgain?.();
  };
}

/** Listens to what is needed now, if that is something else. */
let listenAgain: (() => void) | undefined;

/** After so long a browser that gave up tries again. */
const RETRY_MS = 10_000;
const SMALL_TOPICS = ["overview", "remediations", "polls", "alerts"];

/** Listens until the function that it gives is called. `changed` is called when something small is another now. */
export function listen(changed: () => void): () => void {
  let source: EventSource;
  let topics: string;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    topics = topicsNow();
    source = new EventSource(`./api/v1/events?topics=${topics}`);
    source.addEventListener("open", () => {
      isLive.value = true;
    });
    source.addEventListener("error", () => {
      isLive.value = false;
      // It comes back by itself after a break, but not after a refusal.
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
      changed();
    });
    hear(source, changed);
  };
  const close = (): void => {
    clearTimeout(retry);
    source.close();
    isLive.value = false;
  };
  open();
  let again: ReturnType<typeof setTimeout> | undefined;
  listenAgain = () => {
    clearTimeout(again);
    // A list that is asked for otherwise stops listening, and begins again at once.
    again = setTimeout(() => {
      if (topicsNow() === topics) return;
      close();
      open();
    });
  };
  return () => {
    listenAgain = undefined;
    clearTimeout(again);
    close();
  };
}

function topicsNow(): string {
  return [...SMALL_TOPICS, ...(listeners.entities.size > 0 ? ["entities"] : [])].join(",");
}

function hear(source: EventSource, changed: () => void): void {
  for (const topic of SMALL_TOPICS) source.addEventListener(topic, changed);
  for (const topic of ["entities", "alerts"] as const) {
    source.addEventListener(topic, ({ data }: MessageEvent<string>) => {
      const { changes } = JSON.parse(data) as { changes: readonly Change[] };
      const byKey = new Map(changes.map((change) => [change.key, change]));
      for (const listener of listeners[topic]) listener(byKey);
    });
  }
  source.addEventListener("reset", () => {
    for (const topic of ["entities", "alerts"] as const)
      for (const listener of listeners[topic]) listener(undefined);
    changed();
  });
}
