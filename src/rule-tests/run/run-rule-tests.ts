import type { Expectation, RuleTest, RuleTestFile } from "../file/rule-test.ts";
import type { EntityId } from "../../domain/entity.ts";
import { toEnd, type Slices } from "../../domain/slices.ts";
import { compare, entityOf, type Comparison } from "./compare.ts";
import { reasonsFor } from "./reasons.ts";
import { advanceTo, startHarness, type Harness } from "./harness.ts";

/** The result of one test, with the expectations that were not met. */
export type TestResult = { readonly test: RuleTest; readonly failures: readonly Failure[] };

export type Failure = {
  readonly expectation: Expectation;
  readonly comparisons: readonly Comparison[];
  /** The reasons, entity by entity. */
  readonly reasons: ReadonlyArray<{ readonly entity: EntityId; readonly lines: readonly string[] }>;
};

/** Runs the tests whose names contain `part`, each to its end, as a later failure may explain an earlier one. */
export function runRuleTests(file: RuleTestFile, part = ""): readonly TestResult[] {
  return toEnd(ruleTestsInSlices(file, part));
}

/** The same, and between two tests its caller may do something else. */
export function* ruleTestsInSlices(
  { tests, rules }: RuleTestFile,
  part = "",
): Slices<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const test of tests.filter(({ name }) => name.includes(part))) {
    results.push({ test, failures: [...failuresOf(test, rules)] });
    yield;
  }
  return results;
}

/** Runs one test, only as far as the caller takes its failures. */
export function* failuresOf(test: RuleTest, rules: RuleTestFile["rules"]): Generator<Failure> {
  const harness = startHarness(test, rules);
  for (const expectation of test.expectations) {
    advanceTo(harness, test.startsAt + expectation.atMs);
    const comparisons = compare(harness, expectation);
    if (comparisons.length === 0) continue;
    yield { expectation, comparisons, reasons: reasonsOf(harness, comparisons) };
  }
}

function reasonsOf(harness: Harness, comparisons: readonly Comparison[]): Failure["reasons"] {
  const entities = new Map<string, { entity: EntityId; names: Set<string> }>();
  for (const { list, rows } of comparisons) {
    for (const { expected, got, same } of rows) {
      const item = expected ?? got;
      if (same || item === undefined) continue;
      const entity = entityOf(harness, list, item);
      const key = `${entity.kind} ${entity.id}`;
      const known = entities.get(key) ?? { entity, names: new Set() };
      known.names.add(item.name);
      entities.set(key, known);
    }
  }
  return [...entities.values()].map(({ entity, names }) => ({
    entity,
    lines: reasonsFor(harness, entity, names),
  }));
}
