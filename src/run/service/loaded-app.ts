import { setImmediate } from "node:timers/promises";
import { loadAdapter, type App } from "../../io/http/app-server.ts";
import type { RestoringSource } from "../../io/api/restoring/app.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { SECOND, type Millis } from "../../domain/time.ts";

/** What a daemon answers, loaded when it is first asked: the first polls do not wait for so many modules. */
export type LoadedApp = App & {
  /** Loads it in a moment, if it is not asked before; gives what ends that. */
  readonly loadSoon: () => () => void;
};

/** The first polls are under way by then, and usually nothing may be repaired yet, which would have to wait. */
const SOON: Millis = SECOND;

/** What is answered while the journal is being read. */
export function restoringApp(source: RestoringSource): App {
  return loadedWhenAsked(async () => {
    const { createRestoringApp } = await import("../../io/api/restoring/app.ts");
    return createRestoringApp(source);
  });
}

/** The page, the metrics and the API. */
export function servedApp(source: ServerSource): LoadedApp {
  return loadedWhenAsked(async () => {
    // In three blocks of the event loop and not in one, as the first polls are waiting for their answers.
    await loadAdapter();
    await setImmediate();
    await import("../../io/api/codec.ts");
    await setImmediate();
    const { createApp } = await import("../../io/api/server.ts");
    return createApp(source);
  });
}

function loadedWhenAsked(load: () => Promise<App>): LoadedApp {
  let loading: Promise<App> | undefined;
  const loaded = (): Promise<App> => (loading ??= load());
  return {
    fetch: async (...asked) => (await loaded()).fetch(...asked),
    loadSoon: () => {
      const timer = setTimeout(() => void loaded(), SOON);
      return () => clearTimeout(timer);
    },
  };
}
