import { describe, expect, it } from "vitest";
import type { ReloadDone } from "../../src/io/api/server-source.ts";
import { fail, succeed, type Result } from "../../src/domain/result.ts";
import { createReadAgain, createReloading } from "../../src/run/reloading.ts";
import type { Loaded, Sources } from "../../src/run/setup.ts";
import { loopTest } from "./loop-world.ts";
import { aggregatorSetup, watchdogSetup } from "./watchdog-setup.ts";

it("says of a reload after the lease was lost that another took over, and not that the core has a bug", () => {
  const { loop } = loopTest();
  const setup = watchdogSetup("/nowhere", [aggregatorSetup("http://aggregator.invalid")]);
  const sources: Sources = {
    load: () => succeed({ setup, changes: [], accept: () => undefined }),
    isOutdated: () => false,
    lastAccepted: () => undefined,
    directories: () => [],
    onHangup: () => () => undefined,
    another: () => sources,
  };
  let dropped = 0;
  const { reload } = createReloading(setup, sources, {
    clock: { now: () => 0 },
    loop,
    maintenance: { missing: () => [], prepare: () => undefined },
    polling: { prepare: () => ({ apply: () => undefined, drop: () => void (dropped += 1) }) },
    metrics: { expect: () => undefined },
    lists: { effective: (effective) => effective, sync: () => undefined },
  });
  loop.abandon();
  expect(reload("ann", false)).toEqual({
    ok: false,
    problem: "nothing was done: another replica took over meanwhile. Ask that one.",
  });
  expect(dropped).toBe(1);
});

const DONE: ReloadDone = {
  rules: { added: [], removed: [], changed: [] },
  alerts: [],
  actions: [],
  entitiesEnded: 0,
  settings: [],
};

/** Settings that are read again; `log` has what is said of it. */
function readAgain(isQuiet = false) {
  const said: string[] = [];
  const setup = watchdogSetup("/nowhere", [], { configHash: 1 });
  const log = {
    level: "warn",
    info: (_: object, message: string) => void said.push(message),
    error: (_: object, message: string) => void said.push(message),
  };
  const startSetup = { ...setup, log: log as unknown as typeof setup.log };
  const settings = { ...setup.settings, log: { ...setup.settings.log, level: "debug" as const } };
  let now = Date.UTC(2026, 0, 1);
  let accepted = 0;
  const loaded: Loaded = {
    setup: { ...startSetup, settings, configHash: 2 },
    changes: [],
    accept: () => void (accepted += 1),
  };
  const given: { load: Result<Loaded, string>; putInForce: Result<ReloadDone, string> } = {
    load: succeed(loaded),
    putInForce: succeed(DONE),
  };
  const calls: string[] = [];
  const sources: Sources = {
    load: (why) => (calls.push(why), given.load),
    isOutdated: () => false,
    lastAccepted: () => undefined,
    directories: () => [],
    onHangup: () => () => undefined,
    another: () => sources,
  };
  const reloading = createReadAgain(startSetup, sources, {
    clock: { now: () => now },
    putInForce: () => (calls.push("put in force"), given.putInForce),
    preview: () => (calls.push("previewed"), DONE),
    isQuiet: () => isQuiet,
  });
  const passes = (ms: number): void => void (now += ms);
  return { ...reloading, given, calls, said, log, passes, accepted: () => accepted };
}

describe("what is read again", () => {
  it("is in force, and accepted, once it was put in force", () => {
    const { reload, reading, calls, said, log, accepted, passes } = readAgain();
    passes(5);
    expect(reload("ann", false)).toEqual(succeed(DONE));
    expect(calls).toEqual(["reload", "put in force"]);
    const successAt = Date.UTC(2026, 0, 1) + 5;
    expect(reading()).toEqual({ successful: true, successAt, hash: 2 });
    expect({ accepted: accepted(), level: log.level, said }).toEqual({
      accepted: 1,
      level: "debug",
      said: ["reloaded"],
    });
  });

  it("is neither in force nor accepted if it is only previewed, though it cannot be read", () => {
    const { reload, reading, notices, given, calls, said, accepted } = readAgain();
    expect(reload("ann", true)).toEqual(succeed(DONE));
    given.load = fail("a.yaml:1:1: error: no");
    expect(reload("ann", true)).toEqual(given.load);
    expect(calls).toEqual(["preview", "previewed", "preview"]);
    expect(reading()).toMatchObject({ successful: true, hash: 1 });
    expect({ accepted: accepted(), said, notices: notices() }).toEqual({
      accepted: 0,
      said: [],
      notices: [],
    });
  });

  it.each(["load", "putInForce"] as const)(
    "is reported until it succeeds if it fails (%s), and what was before stays",
    (where) => {
      const { reload, reading, notices, failed, given, said, accepted, passes } = readAgain();
      const successAt = Date.UTC(2026, 0, 1);
      const problem = "what was in force still is:\na.yaml:1:1: error: no\na.yaml:2:1: error: nor";
      passes(5);
      const { [where]: works } = given;
      given[where] = fail(problem);
      expect(reload("ann", false)).toEqual(fail(problem));
      expect(reading()).toEqual({ successful: false, successAt, hash: 1 });
      expect(failed()).toEqual({ at: successAt + 5, problems: problem, successAt });
      expect(notices()).toEqual([
        "The reload at 2026-01-01T00:00:00.005Z failed, and the rules and config before it run on: what was in force still is:; a.yaml:1:1: error: no",
      ]);
      expect({ accepted: accepted(), said: said.length }).toEqual({ accepted: 0, said: 1 });
      Object.assign(given, { [where]: works });
      reload("ann", false);
      expect({ failed: failed(), notices: notices() }).toEqual({ failed: undefined, notices: [] });
    },
  );

  it("is not logged if another logs the same", () => {
    const { reload, given, said } = readAgain(true);
    reload("ann", false);
    given.load = fail("a.yaml:1:1: error: no");
    reload("ann", false);
    expect(said).toEqual([]);
  });

  it("is nothing if there are no files to read", () => {
    const setup = watchdogSetup("/nowhere", []);
    const { reload, listen } = createReadAgain(setup, undefined, {
      clock: { now: () => 0 },
      putInForce: () => succeed(DONE),
      preview: () => DONE,
    });
    const problem = "this aggwatch was not started from files that it could read again";
    for (const dryRun of [false, true]) expect(reload("ann", dryRun)).toEqual(fail(problem));
    listen()();
  });
});
