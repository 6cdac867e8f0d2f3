import { setImmediate } from "node:timers/promises";
import { loadAdapter, NOT_LOADED, type App } from "../../io/http/app-server.ts";
import type { RestoringSource } from "../../io/api/restoring/app.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import type { Logger } from "../../io/process/log.ts";
import { SECOND, type Millis } from "../../domain/time.ts";

/** What a daemon answers, loaded when it is first asked: the first polls do not wait for so many modules. */
type LoadedApp = App & {
  /** Loads it in a moment, if it is not asked before; gives what ends that. */
  readonly loadSoon: () => () => void;
};

type Log = Pick<Logger, "error">;

/** By then the first polls are under way, and usually no repair is possible yet that loading could delay. */
const SOON: Millis = SECOND;

/** What is answered while the journal is being read. */
export function restoringApp(source: RestoringSource, log: Log): App {
  return loadedWhenAsked(log, async () => {
    const { createRestoringApp } = await import("../../io/api/restoring/app.ts");
    return createRestoringApp(source);
  });
}

/** The page, the metrics and the API. */
export function servedApp(source: ServerSource, log: Log): LoadedApp {
  return loadedWhenAsked(log, async () => {
    // In three blocks of the event loop and not in one, as the first polls are waiting for their answers.
    await loadAdapter();
    await setImmediate();
    await import("../../io/api/codec.ts");
    await setImmediate();
    const { createApp } = await import("../../io/api/server.ts");
    return createApp(source);
  });
}

/** Whoever asks is answered 503 if it cannot be loaded, and the next question tries again; the watching goes on. */
function loadedWhenAsked(log: Log, load: () => Promise<App>): LoadedApp {
  let loading: Promise<App> | undefined;
  const unloaded = (error: unknown): App => {
    loading = undefined;
    log.error({ err: error }, NOT_LOADED);
    return { fetch: () => new Response(`${NOT_LOADED}\n`, { status: 503 }) };
  };
  const loaded = (): Promise<App> => (loading ??= load().catch(unloaded));
  return {
    fetch: async (...asked) => (await loaded()).fetch(...asked),
    loadSoon: () => {
      const timer = setTimeout(() => void loaded(), SOON);
      return () => clearTimeout(timer);
    },
  };
}
