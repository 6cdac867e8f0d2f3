import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRules } from "../../src/cli/load.ts";
import { GUARDS } from "../../src/core/act/guards/index.ts";
import { coreMutants } from "./core-mutants.ts";
import { huntCore, occurrences } from "./hunt-core.ts";

describe("the deliberate bugs of the core and the wire", () => {
  it("each stand for one place of today's code, under a name of their own", () => {
    const lost = coreMutants.filter((mutant) => occurrences(mutant) !== 1);
    expect(lost.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
    expect(new Set(coreMutants.map(({ name }) => name)).size).toBe(coreMutants.length);
    expect(coreMutants.length).toBeGreaterThanOrEqual(40);
  });

  it.each([...new Set(coreMutants.flatMap(({ rules = [] }) => rules))])(
    "find rules without a problem in %s",
    (directory) => {
      const rules = loadRules(join(import.meta.dirname, "../..", directory));
      expect(rules.ok ? [] : rules.problem).toEqual([]);
    },
  );

  it.each(GUARDS.map(({ reason }) => reason))("break the guard %s", (reason) => {
    const file = `src/core/act/guards/${reason.replaceAll("_", "-")}.ts`;
    const own = coreMutants.filter((mutant) => mutant.file === file);
    expect(own.length, `no deliberate bug in ${file}`).toBeGreaterThan(0);
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
