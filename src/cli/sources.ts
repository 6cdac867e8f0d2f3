import type { Rule } from "../domain/rule.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import { restartCheck, settingChanges } from "../config/settings/setting-entries.ts";
import type { Settings } from "../config/settings/settings.ts";
import { readTokens, revokedHolders } from "../config/settings/tokens.ts";
import type { Accepted, Sources, WatchdogSetup } from "../run/setup.ts";
import { systemClock } from "../io/process/clock.ts";
import { loadAll, type Loaded, type LoadInput } from "./load.ts";
import { readingPipesOnce, recordingReader, type Reader } from "./reader.ts";

/** The first reading of config and rules, and what reads them again. */
export function openSources(
  input: Omit<LoadInput, "reader" | "checks">,
  makeSetup: (settings: Settings, rules: readonly Rule[]) => WatchdogSetup,
  onHangup: Sources["onHangup"],
): Result<{ readonly setup: WatchdogSetup; readonly sources: Sources }, string> {
  const files = readingPipesOnce();
  let read = recordingReader(files);
  const first = loadAll({ ...input, reader: read });
  if (!first.ok) return first;
  const { now } = systemClock();
  let accepted: (Accepted & { readonly loaded: Loaded }) | undefined;
  const makeSources = (): Sources => {
    let inForce: Loaded = first.value;
    return {
      load: (why) => {
        const reader = recordingReader(files);
        // A preview does not put anything in force, so the change must still be noticed.
        if (why === "reload") read = reader;
        const next = loadAll({ ...input, reader, checks: [restartCheck(inForce.settings)] });
        if (!next.ok) {
          const still = stillValid(inForce.settings.server, reader);
          return fail(still === undefined ? next.problem : `${still}\n${next.problem}`);
        }
        const { settings, rules } = next.value;
        const setup = makeSetup(settings, rules);
        return succeed({
          setup,
          changes: settingChanges(inForce.settings, settings),
          accept: () => {
            inForce = next.value;
            accepted = { setup, at: now(), loaded: next.value };
          },
        });
      },
      isOutdated: () => read.isOutdated(),
      lastAccepted: () => {
        if (accepted !== undefined) inForce = accepted.loaded;
        return accepted;
      },
      directories: () => read.directories(),
      onHangup,
      another: makeSources,
    };
  };
  const { settings, rules } = first.value;
  return succeed({ setup: makeSetup(settings, rules), sources: makeSources() });
}

/** That tokens are still valid although their file says otherwise, as nothing of a config with a problem is in force. */
function stillValid(
  { tokens, tokensFile: file }: Settings["server"],
  { readText }: Pick<Reader, "readText">,
): string | undefined {
  if (tokens === undefined || file === undefined || file === null) return undefined;
  const read = readText(file);
  const next = read.ok ? readTokens(file, read.value) : read;
  if (!next.ok)
    return `still valid until a reload succeeds: all tokens of before, as the tokens file ${file} has a problem`;
  const revoked = revokedHolders(tokens, next.value);
  if (revoked.length === 0) return undefined;
  return `revoked and still valid until a reload succeeds: tokens of ${revoked.join(", ")} (${file})`;
}
