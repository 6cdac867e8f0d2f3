import type { Environment, Flags } from "../../../src/config/settings/environment.ts";
import type { Problem } from "../../../src/config/problem.ts";
import { loadSettings } from "../../../src/config/settings/settings.ts";
import type { Settings, SettingsCheck } from "../../../src/config/settings/settings.ts";
import { fail, succeed } from "../../../src/domain/result.ts";

export type Given = {
  readonly text?: string;
  readonly env?: Environment;
  readonly flags?: Flags;
  /** Files that the config names, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly checks?: readonly SettingsCheck[];
};

export function load({ text, env = {}, flags = {}, files = {}, checks = [] }: Given) {
  return loadSettings({
    ...(text === undefined ? {} : { file: { name: "etc/aggwatch.yaml", text } }),
    env,
    flags,
    checks,
    readText: (path) => {
      const content = files[path];
      return content === undefined ? fail("no such file or directory") : succeed(content);
    },
  });
}

export function settingsOf(given: Given): Settings {
  const loaded = load(given);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem, undefined, 2));
  return loaded.value;
}

export function problemsOf(given: Given): readonly Problem[] {
  const loaded = load(given);
  return loaded.ok ? [] : loaded.problem;
}

/** `file:line:column id`, or `VARIABLE id`, of each problem. */
export function placesOf(given: Given): readonly string[] {
  return problemsOf(given).map(({ file, line, column, id }) =>
    line === 0 ? `${file} ${id}` : `${line}:${column} ${id}`,
  );
}
