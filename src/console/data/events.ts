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

/** Calls with the changes of each message; undefined: read the list anew. */
export function onChanges(topic: Topic, listener: Listener): () => void {
  listeners[topic].add(listener);
  return () => void listeners[topic].delete(listener);
}

/** After so long a browser that gave up tries again. */
const RETRY_MS = 10_000;
const SMALL_TOPICS = ["overview", "remediations", "polls", "alerts"];

/** Listens until the function that it gives is called. `changed` is called when something small is another now. */
export function listen(changed: () => void): () => void {
  let source: EventSource;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    source = new EventSource(`./api/v1/events?topics=${[...SMALL_TOPICS, "entities"].join(",")}`);
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
  open();
  return () => {
    clearTimeout(retry);
    source.close();
    isLive.value = false;
  };
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
