import type { Rule } from "../domain/rule.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import { restartCheck, settingChanges } from "../config/settings/setting-entries.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { Sources, WatchdogSetup } from "../run/setup.ts";
import { loadAll, type Loaded, type LoadInput } from "./load.ts";
import { recordingReader } from "./reader.ts";

/** The first reading of config and rules, and what reads them again. */
export function openSources(
  input: Omit<LoadInput, "reader" | "checks">,
  makeSetup: (settings: Settings, rules: readonly Rule[]) => WatchdogSetup,
  onHangup: Sources["onHangup"],
): Result<{ readonly setup: WatchdogSetup; readonly sources: Sources }, string> {
  let read = recordingReader();
  const first = loadAll({ ...input, reader: read });
  if (!first.ok) return first;
  const makeSources = (): Sources => {
    let inForce: Loaded = first.value;
    return {
      load: (why) => {
        const reader = recordingReader();
        // A preview does not put anything in force, so the change must still be noticed.
        if (why === "reload") read = reader;
        const next = loadAll({ ...input, reader, checks: [restartCheck(inForce.settings)] });
        if (!next.ok) return fail(next.problem);
        const { settings, rules } = next.value;
        return succeed({
          setup: makeSetup(settings, rules),
          changes: settingChanges(inForce.settings, settings),
          accept: () => {
            inForce = next.value;
          },
        });
      },
      isOutdated: () => read.isOutdated(),
      directories: () => read.directories(),
      onHangup,
      another: makeSources,
    };
  };
  const { settings, rules } = first.value;
  return succeed({ setup: makeSetup(settings, rules), sources: makeSources() });
}
