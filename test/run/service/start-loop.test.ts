import { expect, it, onTestFinished, vi } from "vitest";
import type { Event } from "../../../src/domain/step.ts";
import { startLoop } from "../../../src/run/service/start-loop.ts";

/** A loop whose first event goes on until it is ended, and what is done with it. */
function busyLoop(isUnchecked = false) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const done: string[] = [];
  const events: Event[] = [];
  const handled = Promise.withResolvers<void>();
  let isBusy = true;
  const loop = {
    push: (event: Event) => {
      events.push(event);
      done.push(event.type);
    },
    isBusy: () => isBusy,
    idle: () => handled.promise,
  };
  const lists = { sync: () => void done.push("lists") };
  const stop = startLoop(loop, lists, () => void done.push("kill file"), isUnchecked);
  const end = async (): Promise<void> => {
    isBusy = false;
    handled.resolve();
    await handled.promise;
  };
  return { done, events, stop, end };
}

it("puts the watch lists in force and looks for the kill file once all is unknown, and ticks", async () => {
  const { done, stop, end } = busyLoop();
  expect(done).toEqual(["started"]);
  await end();
  expect(done.splice(0)).toEqual(["started", "lists", "kill file"]);
  vi.advanceTimersByTime(1_000);
  expect(done).toEqual(["kill file", "tick"]);
  stop();
});

it("does nothing more if it ends before that", async () => {
  const { done, stop, end } = busyLoop();
  stop();
  await end();
  vi.advanceTimersByTime(5_000);
  expect(done).toEqual(["started"]);
});

it.each([
  { isUnchecked: true, event: { type: "started", journal: "unchecked" } },
  { isUnchecked: false, event: { type: "started" } },
])("says at the start whether the journal is checked: $event", ({ isUnchecked, event }) => {
  const { events, stop } = busyLoop(isUnchecked);
  stop();
  expect(events).toEqual([event]);
});
