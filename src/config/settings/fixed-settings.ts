import type { Settings, SettingsCheck } from "./settings.ts";
import { settingChanges } from "./settings-view.ts";

/** What a process that runs holds on to. */
const FIXED: ReadonlyMap<string, readonly string[]> = new Map([
  ["listen", ["listen"]],
  ["stuck_after", ["stuck_after"]],
  ["data", ["data"]],
  ["record.retention", ["record", "retention"]],
  ["record.max_size", ["record", "max_size"]],
  ["record.replies.keep", ["record", "replies", "keep"]],
  ["record.replies.max_size", ["record", "replies", "max_size"]],
  ["log.format", ["log", "format"]],
  ["actions.kill_file", ["actions", "kill_file"]],
]);

/** Refuses what cannot change while aggwatch runs by the settings given. */
export function fixedSettings(inForce: Settings): SettingsCheck {
  return (settings) =>
    settingChanges(inForce, settings).flatMap(({ key, before, after }) => {
      const path = FIXED.get(key);
      if (path === undefined) return [];
      return [
        {
          id: "config/needs-restart",
          path,
          message: `"${key}" cannot change while aggwatch runs: it is ${before}, and would be ${after}`,
          hint: "restart aggwatch to change it, or put it back",
        },
      ];
    });
}
