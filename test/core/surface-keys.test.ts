import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countKeys,
  hasKey,
  NO_KEYS,
  removeKey,
  withKey,
  type SurfaceKeys,
} from "../../src/core/surface-keys.ts";

describe("the keys of a surface", () => {
  it("are what a plain set of them would be, in its order, few or many", () => {
    const key = fc.integer({ min: 0, max: 40 }).map(String);
    const happening = fc.oneof(
      { weight: 3, arbitrary: fc.record({ add: key }) },
      { weight: 1, arbitrary: fc.record({ remove: key }) },
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60, size: "max" }), (happenings) => {
        const index = new Map<string, SurfaceKeys>();
        const plain = new Set<string>();
        for (const one of happenings) {
          if ("add" in one) {
            index.set("s", withKey(index.get("s") ?? NO_KEYS, one.add));
            plain.add(one.add);
          } else {
            removeKey(index, "s", one.remove);
            plain.delete(one.remove);
          }
          const keys = index.get("s") ?? NO_KEYS;
          expect([...keys]).toEqual([...plain]);
          expect(countKeys(keys)).toBe(plain.size);
          expect(index.has("s")).toBe(plain.size > 0);
          for (const other of ["0", "7", "40"]) expect(hasKey(keys, other)).toBe(plain.has(other));
        }
      }),
    );
  });

  it("are not changed for whoever goes through a few of them", () => {
    const index = new Map<string, SurfaceKeys>([["s", withKey(withKey(NO_KEYS, "a"), "b")]]);
    const seen = index.get("s") ?? NO_KEYS;
    removeKey(index, "s", "a");
    index.set("s", withKey(index.get("s") ?? NO_KEYS, "c"));
    expect(seen).toEqual(["a", "b"]);
    expect(index.get("s")).toEqual(["b", "c"]);
  });
});
