import { expect, it, vi } from "vitest";
import { fail, succeed, type Result } from "../../../src/domain/result.ts";
import { createInForce, createShownInForce } from "../../../src/run/replica/in-force.ts";
import { createLog } from "../../../src/io/process/log.ts";
import type { Tracing } from "../../../src/io/tracing/tracing.ts";
import type { Loaded, Sources, WatchdogSetup } from "../../../src/run/setup.ts";
import { silentLog, watchdogSetup } from "../watchdog-setup.ts";

/** Files that have changed since the start, and now say this. */
function sourcesOf(
  read: () => Result<WatchdogSetup, string>,
  {
    lastAccepted = () => undefined,
    isOutdated = () => true,
    accept = () => undefined,
  }: Partial<Pick<Sources, "lastAccepted" | "isOutdated"> & Pick<Loaded, "accept">> = {},
): Sources {
  return {
    load: () => {
      const setup = read();
      if (!setup.ok) return setup;
      const loaded: Loaded = { setup: setup.value, changes: [], accept };
      return succeed(loaded);
    },
    isOutdated,
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
  const sources = sourcesOf(() => fail("rules.yaml:1:1: error: broken"), {
    lastAccepted: () => accepted,
  });
  const inForce = createInForce(setup, sources, log);
  accepted = { setup: { ...setup, settings }, at: 5 };
  inForce.renew();
  expect(inForce.current()).toMatchObject({
    setup: { settings: { actions: { mode: "shadow" } } },
    failed: { successAt: 5 },
  });
  expect(log.level).toBe(level);
});

it("the first life begins with what the start has read, and reads the files again only if they changed", () => {
  const setup = watchdogSetup("data", []);
  const other = { ...setup, version: "2" };
  const accept = vi.fn<() => void>();
  const sources = sourcesOf(() => succeed(other), { isOutdated: () => false, accept });
  const inForce = createInForce(setup, sources, setup.log);
  inForce.renew();
  expect(inForce.current().setup).toBe(setup);
  inForce.renew();
  expect(inForce.current().setup.version).toBe("2");
  expect(accept).toHaveBeenCalledOnce();
});

it("what traces goes on through every take-over", () => {
  const tracing = { reading: () => ({ dropped: 0, failed: 0, sent: 0 }) } as unknown as Tracing;
  const setup = { ...watchdogSetup("data", []), tracing };
  const read = { ...setup, tracing: undefined };
  const inForce = createInForce(
    setup,
    sourcesOf(() => succeed(read)),
    setup.log,
  );
  inForce.renew();
  expect(inForce.current().setup.tracing).toBe(tracing);
});

it.each([
  { who: "a standby", isOwner: false, logged: ["reloaded"] },
  { who: "an owner, which logs its own reading,", isOwner: true, logged: [] },
])("what $who shows is read again, and logged $logged.length times", ({ isOwner, logged }) => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json" }, { isTerminal: false }, (line) => {
    lines.push((JSON.parse(line) as { msg: string }).msg);
  });
  const setup = watchdogSetup("data", [], { log });
  const { settings } = setup;
  const read = {
    ...setup,
    settings: { ...settings, log: { ...settings.log, level: "info" as const } },
  };
  const shown = createShownInForce(
    setup,
    sourcesOf(() => succeed(read)),
    () => isOwner,
  );
  expect(shown.reload("alice", false).ok).toBe(true);
  expect(lines).toEqual(logged);
});
