import { expect, it } from "vitest";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import type { Event } from "../../../src/domain/step.ts";
import { createAfterBug } from "../../../src/run/replica/after-bug.ts";
import { MOST_BUGS } from "../../../src/run/bug-recovery.ts";

/** A unit whose replica does what it is asked to, and says so. */
function unitAt(unit: string) {
  const log: string[] = [];
  const begun = createAfterBug({
    unit,
    beginAgain: async (why) => await Promise.resolve(void log.push(`again: ${why}`)),
    onBroken: (bug) => void log.push(`broken: ${String(bug)}`),
  });
  return {
    log,
    /** Begins with the epoch; gives what lets it throw. */
    begin: (epoch: number): (() => Promise<void>) => {
      const broken = Promise.withResolvers<unknown>();
      const service = {
        broken: broken.promise,
        clock: { now: () => 0 },
        loop: { push: (event: Event) => void log.push(`push ${JSON.stringify(event)}`) },
        metrics: { count: (counted: unknown) => void log.push(`count ${JSON.stringify(counted)}`) },
      };
      begun(service as never, epoch);
      return async () => {
        broken.resolve(new Error("x"));
        await broken.promise;
      };
    },
  };
}

const COUNTED = 'count [{"type":"bug"}]';
const KILLED = expect.stringContaining('"command":{"name":"kill","source":"bug"}');

it("begins again, counts the bug on, and stops actions", async () => {
  const { log, begin } = unitAt(HOME);
  await begin(1)();
  await begin(2)();
  begin(3);
  const again = "again: a bug in the core: x";
  expect(log).toEqual([again, COUNTED, KILLED, again, COUNTED, COUNTED, KILLED]);
});

it("acts if another was the owner in between", async () => {
  const { log, begin } = unitAt(HOME);
  await begin(1)();
  begin(3);
  expect(log.slice(1)).toEqual([COUNTED]);
});

it("stops nothing in a unit of senders, which never acts", async () => {
  const { log, begin } = unitAt(sendersUnit(1));
  await begin(1)();
  begin(2);
  expect(log.slice(1)).toEqual([COUNTED]);
});

it("ends the process after too many bugs", async () => {
  const { log, begin } = unitAt(HOME);
  for (let epoch = 1; epoch <= MOST_BUGS + 1; epoch += 1) await begin(epoch)();
  expect(log.filter((line) => line.startsWith("again"))).toHaveLength(MOST_BUGS);
  expect(log.at(-1)).toBe("broken: Error: x");
});
