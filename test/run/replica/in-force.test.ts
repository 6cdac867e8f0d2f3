import { expect, it } from "vitest";
import { fail, succeed, type Result } from "../../../src/domain/result.ts";
import { createInForce } from "../../../src/run/replica/in-force.ts";
import type { Loaded, Sources, WatchdogSetup } from "../../../src/run/setup.ts";
import { silentLog, watchdogSetup } from "../watchdog-setup.ts";

/** Files that have changed since the start, and now say this. */
function sourcesOf(
  read: () => Result<WatchdogSetup, string>,
  lastAccepted: Sources["lastAccepted"] = () => undefined,
): Sources {
  return {
    load: () => {
      const setup = read();
      if (!setup.ok) return setup;
      const loaded: Loaded = { setup: setup.value, changes: [], accept: () => undefined };
      return succeed(loaded);
    },
    isOutdated: () => true,
    lastAccepted,
    directories: () => [],
    onHangup: () => () => undefined,
    another: () => sourcesOf(read),
  };
}

it("a take-over logs at the level that the files say now", () => {
  const log = silentLog();
  const setup = watchdogSetup("data", [], { log });
  const settings = { ...setup.settings, log: { ...setup.settings.log, level: "fatal" as const } };
  const inForce = createInForce(
    setup,
    sourcesOf(() => succeed({ ...setup, settings })),
    log,
  );
  inForce.renew();
  expect(log.level).toBe("fatal");
});

it("a take-over on broken files knows why, until they can be read again", () => {
  const setup = watchdogSetup("data", []);
  let read: Result<WatchdogSetup, string> = fail("rules.yaml:1:1: error: broken");
  const inForce = createInForce(
    setup,
    sourcesOf(() => read),
    setup.log,
  );
  expect(inForce.current().failed).toBeUndefined();
  inForce.renew();
  expect(inForce.current()).toMatchObject({
    setup,
    failed: { problems: "rules.yaml:1:1: error: broken" },
  });
  read = succeed(setup);
  inForce.renew();
  expect(inForce.current().failed).toBeUndefined();
});

it("a take-over on broken files goes on with what was read last, though another read it", () => {
  const log = silentLog();
  const setup = watchdogSetup("data", [], { log });
  const { actions } = setup.settings;
  const level = "fatal" as const;
  const settings = {
    ...setup.settings,
    log: { ...setup.settings.log, level },
    actions: { ...actions, mode: "shadow" as const },
  };
  let accepted: ReturnType<Sources["lastAccepted"]>;
  const sources = sourcesOf(
    () => fail("rules.yaml:1:1: error: broken"),
    () => accepted,
  );
  const inForce = createInForce(setup, sources, log);
  accepted = { setup: { ...setup, settings }, at: 5 };
  inForce.renew();
  expect(inForce.current()).toMatchObject({
    setup: { settings: { actions: { mode: "shadow" } } },
    failed: { successAt: 5 },
  });
  expect(log.level).toBe(level);
});
