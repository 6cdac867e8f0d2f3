import { dirname } from "node:path";
import type { Result } from "../../domain/result.ts";
import { SECOND } from "../../domain/time.ts";
import { watchFiles } from "../../io/watch/file-watch.ts";
import { pollHttpList } from "../../io/watch/http.ts";
import type { WatchdogSetup } from "../setup.ts";

/** What brings changes of the watch lists: files that change, and answers over HTTP. */
export type WatchListening = {
  /** Asks for the lists that the settings in force name, and for no others. */
  readonly askLists: () => void;
  readonly end: () => void;
};

const FILES_SETTLE = SECOND / 4;
const FILES_READ_EVERY = 30 * SECOND;

export function listenToSources(world: {
  readonly inForce: () => Pick<WatchdogSetup, "aggregators">;
  /** The files may have changed. */
  readonly onFiles: () => void;
  readonly onBody: (aggregator: string, list: string, body: Result<string, string>) => void;
}): WatchListening {
  const asked = new Map<string, AbortController>();
  const files = watchFiles({
    directories: () => directoriesOf(world.inForce()),
    onHint: world.onFiles,
    settleMs: FILES_SETTLE,
    everyMs: FILES_READ_EVERY,
  });
  return {
    askLists: () => {
      const wanted = new Set<string>();
      for (const { name: aggregator, watchSources } of world.inForce().aggregators) {
        for (const list of watchSources?.http ?? []) {
          const key = JSON.stringify([aggregator, list]);
          wanted.add(key);
          if (asked.has(key)) continue;
          const own = new AbortController();
          asked.set(key, own);
          void pollHttpList(list, own.signal, (body) => world.onBody(aggregator, list.name, body));
        }
      }
      for (const [key, own] of asked) {
        if (wanted.has(key)) continue;
        own.abort();
        asked.delete(key);
      }
    },
    end: () => {
      files.close();
      for (const own of asked.values()) own.abort();
    },
  };
}

function directoriesOf({ aggregators }: Pick<WatchdogSetup, "aggregators">): readonly string[] {
  const patterns = aggregators.flatMap(({ watchSources }) => watchSources?.files ?? []);
  return [...new Set(patterns.map((pattern) => dirname(pattern)))];
}
