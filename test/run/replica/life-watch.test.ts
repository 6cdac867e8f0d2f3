import { expect, it } from "vitest";
import { createLifeWatch } from "../../../src/run/replica/life-watch.ts";

const LASTS = 15_000;

/** A watch that is asked four times a second. */
function watched() {
  let now = 0;
  const watch = createLifeWatch(LASTS, () => now);
  const look = (forMs: number): string | undefined => {
    let found: string | undefined;
    for (const until = now + forMs; now < until;) {
      now += 250;
      found ??= watch.look();
    }
    return found;
  };
  return { watch, look };
}

it("says nothing of a life that was dropped, though that still turns", () => {
  const { watch, look } = watched();
  watch.begin();
  watch.turned();
  watch.end();
  watch.turned();
  expect([look(600_000), watch.fault(), watch.hung()]).toEqual([undefined, undefined, undefined]);
});

it("gives each life as long to begin, and forgets that the one before hung", () => {
  const { watch, look } = watched();
  watch.begin();
  watch.turned();
  expect(look(61_000)).toBe("what it does as the owner has done nothing for 1m");
  watch.end();
  expect(watch.hung()).toBeDefined();
  watch.begin();
  expect([look(170_000), watch.hung()]).toEqual([undefined, undefined]);
  expect(watch.fault()).toBe("what it does as the owner has not begun for 2m50s");
});

it("says that it hangs after half of the time, and drops it after all of it, not before", () => {
  const { watch, look } = watched();
  watch.begin();
  watch.turned();
  expect([look(30_000), watch.fault()]).toEqual([undefined, undefined]);
  look(250);
  expect(watch.fault()).toBe("what it does as the owner has done nothing for 30s");
  expect(look(29_750)).toBeUndefined();
  expect(look(250)).toBe("what it does as the owner has done nothing for 1m");
});

it("knows that the last life hung until the next begins, though nothing hangs by then", () => {
  const { watch, look } = watched();
  watch.begin();
  watch.turned();
  const hang = look(61_000);
  watch.end();
  expect([look(1_000), watch.hung()]).toEqual([undefined, hang]);
});
