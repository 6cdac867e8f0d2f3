import { describe, expect, it } from "vitest";
import { coreMutants } from "./core-mutants.ts";
import { huntCore, occurrences } from "./hunt-core.ts";

describe("the deliberate bugs of the core and the wire", () => {
  it("each stand for one place of today's code, under a name of their own", () => {
    const lost = coreMutants.filter((mutant) => occurrences(mutant) !== 1);
    expect(lost.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
    expect(new Set(coreMutants.map(({ name }) => name)).size).toBe(coreMutants.length);
    expect(coreMutants.length).toBeGreaterThanOrEqual(40);
  });

  it.each(["budget-off-by-one", "fires-too-late", "wrong-target", "act-credential-on-reads"])(
    "%s is found within a few seeds",
    async (name) => {
      const mutant = coreMutants.find((one) => one.name === name);
      const found = await huntCore(mutant, { seeds: 4 });
      expect(found.seed, `${name} survived`).toBeGreaterThan(0);
    },
    180_000,
  );
});
