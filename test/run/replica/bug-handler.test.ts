import { expect, it } from "vitest";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import type { Event } from "../../../src/domain/step.ts";
import { createBugHandler } from "../../../src/run/replica/bug-handler.ts";
import { MOST_BUGS } from "../../../src/run/bug-recovery.ts";

/** A unit whose replica does what it is asked to, and says so. */
function unitAt(unit: string) {
  const log: string[] = [];
  const handler = createBugHandler({
    unit,
    beginAgain: async (why) => await Promise.resolve(void log.push(`again: ${why}`)),
    onBroken: (bug) => void log.push(`broken: ${String(bug)}`),
  });
  return {
    log,
    bugs: handler.bugs,
    /** Begins a life; gives what lets it throw. */
    begin: (isHeld = true): (() => Promise<void>) => {
      const broken = Promise.withResolvers<unknown>();
      const service = {
        broken: broken.promise,
        clock: { now: () => 0 },
        loop: { push: (event: Event) => void log.push(JSON.stringify(event)) },
      };
      handler.begun(service as never, { epoch: 1, held: () => isHeld, leftMs: () => 1 });
      return async () => {
        broken.resolve(new Error("x"));
        await broken.promise;
      };
    },
  };
}

const AGAIN = "again: a bug in the core: x";
const KILLED = expect.stringContaining('"command":{"name":"kill","source":"bug"}');

it("begins again after a bug, and acts no more in any of its lives", async () => {
  const { log, begin, bugs } = unitAt(HOME);
  await begin()();
  begin();
  begin();
  expect([log, bugs()]).toEqual([[AGAIN, KILLED, KILLED], 1]);
});

it("stops nothing in a unit of senders, which never acts", async () => {
  const { log, begin } = unitAt(sendersUnit(1));
  await begin()();
  begin();
  expect(log).toEqual([AGAIN]);
});

it("counts a bug after the loss of the lease, and leaves alone what has begun since", async () => {
  const { log, begin, bugs } = unitAt(HOME);
  await begin(false)();
  expect([log, bugs()]).toEqual([[], 1]);
});

it("ends the process after too many bugs", async () => {
  const { log, begin } = unitAt(HOME);
  for (let bug = 0; bug <= MOST_BUGS; bug += 1) await begin()();
  expect(log.filter((line) => line === AGAIN)).toHaveLength(MOST_BUGS);
  expect(log.at(-1)).toBe("broken: Error: x");
});
