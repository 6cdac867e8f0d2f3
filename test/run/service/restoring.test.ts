import { expect, it } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { createRestoring } from "../../../src/run/service/restoring.ts";

/** A journal of so many rows, in one table or in several, which is read a row a turn. */
function restoringOf(tables: number | readonly number[], moments: Moments = {}) {
  const counted = [tables].flat();
  const rows = counted.reduce((sum, own) => sum + own, 0);
  const loop = {
    restore: function* (onRow: () => void) {
      for (let row = 0; row < rows * (moments.times ?? 1); row += 1) {
        onRow();
        yield;
      }
    },
  };
  const counts = { rowCounts: () => counted };
  const restoring = createRestoring(loop, counts, () => moments.now ?? 0);
  const run = (signal?: AbortSignal): Promise<void> =>
    restoring.run({
      signal,
      onTurn: () => moments.onTurn?.(),
      onCounted: (all) => void (moments.counted = all),
      slice: { isOver: () => true, next: () => Promise.resolve() },
    });
  return { ...restoring, run };
}

type Moments = { now?: number; counted?: number; times?: number; onTurn?: () => void };

it("says how far it is, and counts first", async () => {
  const said: string[] = [];
  const moments: Moments = { onTurn: () => void said.push(restoring.progress()) };
  const restoring = restoringOf(2, moments);
  await restoring.run();
  expect(said).toEqual([
    "restoring the journal",
    "restoring the journal (1 of 2 rows)",
    "restoring the journal (2 of 2 rows)",
  ]);
  expect(moments.counted).toBe(2);
});

it("has read no more rows than there are, though it reads them again", async () => {
  const restoring = restoringOf(2, { times: 2 });
  await restoring.run();
  expect(restoring.progress()).toBe("restoring the journal (2 of 2 rows)");
});

it("is unhealthy if it has read nothing for 15 s, and no longer once it gets on", async () => {
  const moments: Moments = { now: 0 };
  const restoring = restoringOf(3, moments);
  const said: Array<string | undefined> = [restoring.unhealthy()];
  moments.onTurn = () => {
    moments.now = (moments.now ?? 0) + 15 * SECOND;
    said.push(restoring.unhealthy());
    moments.now += 15.9 * SECOND;
    said.push(restoring.unhealthy());
  };
  await restoring.run();
  const still = ": nothing was read for 15s";
  expect(said.slice(0, 5)).toEqual([
    undefined,
    undefined,
    `restoring the journal${still}`,
    undefined,
    `restoring the journal (1 of 3 rows)${still}`,
  ]);
});

it("reports no count of rows if there are none", async () => {
  const moments: Moments = {};
  await restoringOf(0, moments).run();
  expect(moments.counted).toBeUndefined();
});

it("ends with the reason of the signal, and reads no further row", async () => {
  const stopping = new AbortController();
  const restoring = restoringOf(5, { onTurn: () => stopping.abort("SIGTERM") });
  await expect(restoring.run(stopping.signal)).rejects.toBe("SIGTERM");
  expect(restoring.progress()).toBe("restoring the journal (0 of 5 rows)");
});

it("counts the rows of no further table once the signal is aborted", async () => {
  const stopping = new AbortController();
  const moments: Moments = { onTurn: () => stopping.abort("SIGTERM") };
  await expect(restoringOf([1, 1], moments).run(stopping.signal)).rejects.toBe("SIGTERM");
  expect(moments.counted).toBeUndefined();
});
