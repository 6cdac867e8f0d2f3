import { expect, it } from "vitest";
import { succeed } from "../../src/domain/result.ts";
import { createReloading } from "../../src/run/reloading.ts";
import type { Sources } from "../../src/run/setup.ts";
import { loopTest } from "./loop-world.ts";
import { aggregatorSetup, watchdogSetup } from "./watchdog-setup.ts";

it("says of a reload after the lease was lost that another took over, and not that the core has a bug", () => {
  const { loop } = loopTest();
  const setup = watchdogSetup("/nowhere", [aggregatorSetup("http://aggregator.invalid")]);
  const sources: Sources = {
    load: () => succeed({ setup, changes: [], accept: () => undefined }),
    isOutdated: () => false,
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
