import { expect, it } from "vitest";
import { pollerKey } from "../../../src/domain/lease.ts";
import { SECOND } from "../../../src/domain/time.ts";
import type { Service } from "../../../src/run/service/service.ts";
import { createSeenUnits } from "../../../src/run/units/seen-units.ts";

type Row = { unit: string; id: string; facts: Record<string, unknown> };

const home = {
  loop: { policy: () => ({ aggregators: [{ name: "bsc" }] }) },
} as unknown as Pick<Service, "loop">;

/** Two units of senders, as the owner of `home` sees them; the clock stands still until it is moved. */
function seeing() {
  let now = 0;
  let rows: readonly Row[] = [];
  let failure: Error | undefined;
  const query = async (_: string, [units, keys]: readonly unknown[] = []) => {
    if (failure !== undefined) throw failure;
    const asked = new Set(keys as string[]);
    const known = rows.filter(({ unit, id }) => {
      const [name = "", number] = id.split("/");
      const key = pollerKey("bsc", { name, unit: Number(number) });
      return (units as string[]).includes(unit) && asked.has(key);
    });
    return await Promise.resolve(
      known.map(({ unit, id, facts }) => ({
        unit,
        value: JSON.stringify({ aggregator: "bsc", id, facts }),
      })),
    );
  };
  const clock = (): number => now;
  const seen = createSeenUnits({ query }, 2, { wall: clock, steady: clock });
  return {
    ...seen,
    pass: (seconds: number) => (now += seconds * SECOND),
    has: (...known: Row[]) => (rows = known),
    fail: (error: Error) => (failure = error),
    details: () => seen.others().faults.map(({ reason, detail }) => `${reason}: ${detail}`),
  };
}

const fresh: Row = { unit: "senders/1", id: "swaps/1", facts: { stale: false } };
const stale: Row = { unit: "senders/2", id: "swaps/2", facts: { stale: true } };

it("a unit without an owner is a fault after a minute, and none once it has one", async () => {
  const { look, pass, details } = seeing();
  await look(["senders/2"], home);
  pass(60);
  await look(["senders/1", "senders/2"], home);
  expect(details()).toEqual([]);
  pass(1);
  await look(["senders/1", "senders/2"], home);
  expect(details()).toEqual([
    "poll_overdue: senders/2: no replica owns it, so its senders are not polled",
  ]);
  await look(["senders/1"], home);
  expect(details()).toEqual([]);
});

it("a poller of a unit that its owner finds stale is a fault, while this replica owns home", async () => {
  const { look, has, details } = seeing();
  has(fresh, stale);
  await look([], home);
  const fault =
    "poll_overdue: senders/2: bsc/swaps/2 has read nothing for longer than its stale_after";
  expect(details()).toEqual([fault]);
  await look([], undefined);
  expect(details()).toEqual([]);
});

it("units that could not be looked at for a minute are a fault, whatever was seen before", async () => {
  const { look, pass, fail, details } = seeing();
  await look([], home);
  pass(30);
  fail(new Error("away"));
  await expect(look([], home)).rejects.toThrow("away");
  pass(30);
  expect(details()).toEqual([]);
  pass(1);
  expect(details()).toEqual([
    "poll_overdue: what the units of senders do has not been seen for 1m1s",
  ]);
});

it("units have something to poll until it is known that none of them has", async () => {
  const { look, has, others } = seeing();
  expect(others().isWatching).toBe(true);
  await look([], home);
  expect(others().isWatching).toBe(false);
  has(fresh);
  await look([], home);
  expect(others().isWatching).toBe(true);
});
