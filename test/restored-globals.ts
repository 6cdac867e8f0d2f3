import { afterAll, vi } from "vitest";

/** What tests replace, each a part of what all tests of a worker share. */
const SHARED = [
  "Date",
  "clearImmediate",
  "clearInterval",
  "clearTimeout",
  "fetch",
  "performance",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout",
] as const;

type Globals = ReadonlyMap<string, unknown>;

/** As they were when the worker began, in a place that outlives the modules of a test file. */
const KEPT = Symbol.for("aggwatch.test.globals");

function globalsNow(): Globals {
  return new Map(SHARED.map((name) => [name, globalThis[name]]));
}

const holder = globalThis as { [KEPT]?: Globals };
holder[KEPT] ??= globalsNow();
const known = holder[KEPT];

/** A timer that a test left replaced would hang a test of another file, which then fails in its place. */
afterAll(() => {
  // A spy on what is replaced itself puts that back, whenever it ends.
  vi.restoreAllMocks();
  const left = SHARED.filter((name) => globalThis[name] !== known.get(name));
  for (const name of left) Object.assign(globalThis, { [name]: known.get(name) });
  if (left.length > 0) throw new Error(`this file leaves ${left.join(", ")} replaced`);
});
