import { signal } from "@preact/signals";
import type { Change } from "./changes.ts";

/** Messages that the daemon sends unasked: that something has changed, and for lists, what. */

export type Topic = "entities" | "alerts";

type Listener = (changes: ReadonlyMap<string, Change> | undefined) => void;

/** Whether changes are sent; if not, everything is asked for again and again. */
export const isLive = signal(false);

const listeners: Readonly<Record<Topic, Set<Listener>>> = {
  entities: new Set(),
  alerts: new Set(),
};

/**
 * Calls with the changes of each message; undefined: read the list again. Entities change a lot, so their changes are
 * sent only while a list of them is shown.
 */
export function onChanges(topic: Topic, listener: Listener): () => void {
  listeners[topic].add(listener);
  listenAgain?.();
  return () => {
    listeners[topic].delete(listener);
    listenAgain?.();
  };
}

/** Changes the subscription if other messages are needed now. */
let listenAgain: (() => void) | undefined;

/** How long after the browser gave up we try again. */
const RETRY_MS = 10_000;
/**
 * The daemon says something every five seconds. A connection that is silent for so long is broken, though no error says so:
 * a firewall forgot it, or the computer was asleep.
 */
const SILENT_MS = 20_000;
const LOOKS_EACH_MS = 5_000;
const SMALL_TOPICS = ["overview", "remediations", "polls", "alerts"];
const TOPICS = [...SMALL_TOPICS, "entities"];

/**
 * Listens until the function that it returns is called. `changed` is called when anything outside of lists has changed.
 * A hidden page does not listen: a browser has six connections to one server, for all its tabs together.
 */
export function listen(changed: () => void): () => void {
  let connection: Connection | undefined;
  let topics: string | undefined;
  const open = (): void => {
    connection?.close();
    connection = undefined;
    if (document.hidden) return;
    isLive.value = false;
    topics = topicsNow();
    connection = connect(topics, changed, open);
  };
  const look = setInterval(() => {
    if (connection?.isSilent() === true) open();
  }, LOOKS_EACH_MS);
  document.addEventListener("visibilitychange", open);
  open();
  let again: ReturnType<typeof setTimeout> | undefined;
  listenAgain = () => {
    clearTimeout(again);
    // If a list's query changes, it stops listening and begins again at once.
    again = setTimeout(() => {
      if (topicsNow() !== topics) open();
    });
  };
  return () => {
    listenAgain = undefined;
    clearTimeout(again);
    clearInterval(look);
    document.removeEventListener("visibilitychange", open);
    connection?.close();
    isLive.value = false;
  };
}

type Connection = {
  readonly close: () => void;
  /** It is open, but nothing came for too long. */
  readonly isSilent: () => boolean;
};

/** `again` is called some time after the browser gave up. */
function connect(topics: string, changed: () => void, again: () => void): Connection {
  let retry: ReturnType<typeof setTimeout> | undefined;
  let heardAt = Date.now();
  const source = new EventSource(`./api/v1/events?topics=${topics}`);
  source.addEventListener("open", () => {
    isLive.value = true;
  });
  source.addEventListener("error", () => {
    isLive.value = false;
    // It comes back by itself after a break, but not after a refusal.
    if (source.readyState === EventSource.CLOSED) retry = setTimeout(again, RETRY_MS);
    changed();
  });
  for (const type of ["open", "beat", "reset", ...TOPICS])
    source.addEventListener(type, () => {
      heardAt = Date.now();
    });
  hear(source, changed);
  return {
    close: () => {
      clearTimeout(retry);
      source.close();
    },
    isSilent: () => source.readyState === EventSource.OPEN && Date.now() - heardAt > SILENT_MS,
  };
}

function topicsNow(): string {
  return (listeners.entities.size > 0 ? TOPICS : SMALL_TOPICS).join(",");
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
