import { expect, it } from "vitest";
import { patientFor } from "../../../src/io/process/time-slice.ts";

it("does the rest at once when it has waited for its slices long enough", async () => {
  let now = 0;
  const busy = {
    isOver: () => true,
    next: () => {
      now += 300;
      return Promise.resolve();
    },
  };
  const slice = patientFor(1_000, busy, () => now);
  let pauses = 0;
  for (let piece = 0; piece < 100; piece += 1) {
    if (!slice.isOver()) continue;
    await slice.next();
    pauses += 1;
  }
  expect(pauses).toBe(4);
});

it("pauses as often as the slice is over while nothing makes it wait", async () => {
  const idle = { isOver: () => true, next: () => Promise.resolve() };
  const slice = patientFor(1_000, idle, () => 0);
  let pauses = 0;
  for (let piece = 0; piece < 100; piece += 1) {
    if (!slice.isOver()) continue;
    await slice.next();
    pauses += 1;
  }
  expect(pauses).toBe(100);
});
