import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { openSources } from "../../../src/cli/sources.ts";
import { shareSources } from "../../../src/run/units/shared-sources.ts";
import { QUICK_RULES } from "../../acceptance/quick.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { daemonSettings, watchdogSetup } from "../watchdog-setup.ts";

/** The config of a process whose parts share it, and what edits it. */
function sharedConfig(context: TestContext) {
  const directory = temporaryDirectory();
  context.onTestFinished(directory.remove);
  const config = join(directory.path, "aggwatch.yaml");
  const rules = join(directory.path, "rules");
  mkdirSync(rules);
  writeFileSync(join(rules, "rules.yaml"), QUICK_RULES);
  const setMode = (mode: string): void =>
    writeFileSync(
      config,
      `aggregators: [{ name: bsc, base_url: "http://127.0.0.1:1" }]\nactions: { mode: ${mode} }\n`,
    );
  setMode("shadow");
  const opened = openSources(
    { config, env: {}, flags: { rules, data: directory.path, listen: undefined } },
    ({ actions }) => {
      const { actions: acting, ...settings } = daemonSettings(directory.path);
      const { mode } = actions;
      return watchdogSetup("data", [], { settings: { ...settings, actions: { ...acting, mode } } });
    },
    () => () => undefined,
  );
  if (!opened.ok) throw new Error(opened.problem);
  const share = shareSources(opened.value.sources);
  const part = () => share((whole) => whole);
  return { setMode, share, part };
}

type Part = ReturnType<ReturnType<typeof sharedConfig>["part"]>;

/** Puts what the files say in force for a part, and gives the settings that this changed. */
function reload(part: Part): readonly string[] {
  const loaded = part.load("reload");
  if (!loaded.ok) throw new Error(loaded.problem);
  loaded.value.accept();
  return loaded.value.changes.map(({ key, before, after }) => `${key}: ${before} -> ${after}`);
}

const CHANGED = ["actions.mode: shadow -> act"];

it("each part that shares the files reports what changed since its own settings in force", (context) => {
  const { setMode, part } = sharedConfig(context);
  const [one, other] = [part(), part()];
  setMode("act");
  expect(reload(one)).toEqual(CHANGED);
  expect(reload(one)).toEqual([]);
  const preview = other.load("preview");
  expect(other.isOutdated()).toBe(true);
  expect(preview.ok && preview.value.changes).toMatchObject([{ key: "actions.mode" }]);
  expect(reload(other)).toEqual(CHANGED);
  expect(reload(other)).toEqual([]);
});

it("a part that is made after a reload has yet to read what the others have read", (context) => {
  const { setMode, part } = sharedConfig(context);
  const early = part();
  setMode("act");
  reload(early);
  const late = part();
  expect(late.isOutdated()).toBe(true);
  expect(reload(late)).toEqual(CHANGED);
  expect(late.isOutdated()).toBe(false);
});

it("a part falls back to what another has accepted last, as far as it is its own", (context) => {
  const { setMode, share } = sharedConfig(context);
  const one = share((whole) => whole);
  const other = share((whole) => ({ ...whole, aggregators: [] }));
  expect(other.lastAccepted()).toBeUndefined();
  setMode("act");
  expect(one.load("preview").ok).toBe(true);
  expect(other.lastAccepted()).toBeUndefined();
  reload(one);
  setMode("acct");
  expect(other.load("reload").ok).toBe(false);
  const accepted = other.lastAccepted()?.setup;
  expect(accepted).toMatchObject({ aggregators: [], settings: { actions: { mode: "act" } } });
  // By then that is in force.
  setMode("shadow");
  expect(reload(other)).toEqual(["actions.mode: act -> shadow"]);
});
