import { succeed } from "../../domain/result.ts";
import type { Sources, WatchdogSetup } from "../setup.ts";

/**
 * The same files for several units of one process, each with its part of what they say. What one has read again is still
 * new to the others.
 */
export function shareSources(
  sources: Sources,
): (part: (setup: WatchdogSetup) => WatchdogSetup) => Sources {
  let edition = 0;
  return (part) => {
    const own = sources.another();
    // A part begins with what the files said at the start, also one that is made after a reload.
    let known = 0;
    return {
      ...own,
      isOutdated: () => known < edition || sources.isOutdated(),
      lastAccepted: () => {
        const last = own.lastAccepted();
        return last && { ...last, setup: part(last.setup) };
      },
      load: (why) => {
        if (why === "reload") {
          if (sources.isOutdated()) edition += 1;
          known = edition;
        }
        const loaded = own.load(why);
        if (!loaded.ok) return loaded;
        return succeed({ ...loaded.value, setup: part(loaded.value.setup) });
      },
    };
  };
}
