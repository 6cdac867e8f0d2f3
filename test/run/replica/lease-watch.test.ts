import { expect, it } from "vitest";
import { DEFAULT_CLIENT_SETTINGS } from "../../../src/io/aggregator/client.ts";
import type { Lease } from "../../../src/run/replica/lease.ts";
import { createLeaseWatch } from "../../../src/run/replica/lease-watch.ts";
import { outdatedBy } from "../../../src/run/outdated.ts";
import type { AggregatorSetup } from "../../../src/run/setup.ts";
import { AGGREGATOR } from "../../core/fixtures.ts";
import { loopTest, upToConfirmation } from "../loop-world.ts";

/** A request to it takes ten seconds at the most. */
const client = { ...DEFAULT_CLIENT_SETTINGS, baseUrl: "http://127.0.0.1" };
const aggregators = [{ name: AGGREGATOR, client } as AggregatorSetup];

/** A loop, and what there is of its lease. */
function leased(leftMs: number) {
  const own = { leftMs, held: true };
  const lease: Lease = { epoch: 7, held: () => own.held, leftMs: () => own.leftMs };
  const test = loopTest();
  const watch = createLeaseWatch(
    lease,
    () => test.loop,
    () => ({ aggregators }),
  );
  watch.check();
  const suppressed = () => [...test.loop.state().tables.alert.values()][0]?.suppressed;
  return { own, test, watch, suppressed };
}

it("does not act while less of the lease is left than a request may take, and says how much", () => {
  const { own, test, watch, suppressed } = leased(9_000);
  upToConfirmation(test);
  expect(test.effects).toEqual([]);
  expect(suppressed()).toMatchObject({
    reason: "standby",
    detail: "the lease, of epoch 7, lasts 9s more, and a request may take 10s",
  });
  own.leftMs = 10_001;
  watch.check();
  test.loop.push({ type: "tick" });
  expect(test.effects).toEqual([expect.objectContaining({ type: "probe", why: "confirm" })]);
});

it("drops what was to be confirmed if the lease is lost meanwhile", () => {
  const { own, test, watch, suppressed } = leased(15_000);
  const confirming = upToConfirmation(test);
  own.held = false;
  watch.check();
  test.loop.push(confirming);
  expect(test.effects.map(({ type }) => type)).toEqual(["probe"]);
  expect(suppressed()).toMatchObject({
    reason: "standby",
    detail: "this replica does not hold the lease",
  });
});

it("tells the loop only if acting begins or ends to be allowed", () => {
  const { own, test, watch } = leased(15_000);
  for (const leftMs of [14_000, 10_001, 10_000, 3_000, 0, 15_000]) {
    own.leftMs = leftMs;
    watch.check();
  }
  expect(test.log.filter((entry) => entry === "publish lease")).toHaveLength(3);
});

it("holds an action back right before it leaves if too little of the lease is left by then", () => {
  const { own, test, watch } = leased(15_000);
  test.loop.push(upToConfirmation(test));
  const outdated = outdatedBy({
    clock: { now: () => test.now },
    loop: () => test.loop,
    lease: watch.reading,
  });
  const action = { remediation: "r1", aggregator: AGGREGATOR, askedAt: test.now };
  expect(outdated(action)).toBeUndefined();
  own.leftMs = 9_999;
  expect(outdated(action)).toBe(
    "the lease, of epoch 7, lasts 9s999ms more, and a request may take 10s",
  );
  own.held = false;
  expect(outdated(action)).toBe("this replica does not hold the lease");
});

it("needs what a request to the aggregator may take, or to the slowest if none is named", () => {
  const slow = { ...client, timeouts: { ...client.timeouts, requestMs: 25_000 } };
  const both = [{ name: "slow", client: slow } as AggregatorSetup, ...aggregators];
  const lease: Lease = { epoch: 7, held: () => true, leftMs: () => 15_000 };
  const watching = (watched: readonly AggregatorSetup[]) =>
    createLeaseWatch(
      lease,
      () => loopTest().loop,
      () => ({ aggregators: watched }),
    );
  const needed = [AGGREGATOR, "slow", undefined].map(
    (name) => watching(both).reading(name)?.neededMs,
  );
  expect(needed).toEqual([10_000, 25_000, 25_000]);
  expect(watching([]).reading()?.neededMs).toBe(0);
});

it("asks for nothing of the kind if there is one replica", () => {
  const test = loopTest();
  const watch = createLeaseWatch(
    undefined,
    () => test.loop,
    () => ({ aggregators }),
  );
  watch.check();
  expect([watch.reading(), test.log]).toEqual([undefined, []]);
});
