import { compileProfile } from "../aggregator/profile.ts";
import type { SettingsCheck } from "../config/settings.ts";

/** That the wire profile compiles is for `src/aggregator` to say; the config knows the positions. */
export const wireCheck: SettingsCheck = (settings) =>
  settings.aggregators.flatMap((aggregator, index) => {
    const compiled = compileProfile(aggregator.wire);
    if (compiled.ok) return [];
    return compiled.problem.map(({ path, message, hint }) => ({
      path: ["aggregators", index, "wire", ...path],
      message,
      hint,
    }));
  });
