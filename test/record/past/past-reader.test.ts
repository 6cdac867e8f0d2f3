/** Tests src/record/past/past-reader.ts. */
import { expect, it } from "vitest";
import { createPastReader } from "../../../src/record/past/past-reader.ts";
import { scriptedWorld, START } from "../../core/world.ts";

it("answers again after a question at which the record could not be read", async () => {
  const { limits } = scriptedWorld({ rules: [] }).policy;
  let isAway = true;
  const record = {
    recordUnits: () => [],
    recordSpan: () => {
      if (isAway) throw new Error("the database is away");
      return undefined;
    },
    chapterAt: () => 1,
    pagesFrom: () => [],
  };
  const reader = createPastReader(
    record,
    () => limits,
    () => Promise.resolve(),
  );
  await expect(reader.entitiesAt(START)).rejects.toThrow("the database is away");
  isAway = false;
  const empty = { ok: false, problem: "not kept: the record is empty" };
  expect(await reader.entitiesAt(START)).toEqual(empty);
  expect(await reader.entityPast({ key: "agg-1/exchange/A", from: START, until: START })).toEqual(
    empty,
  );
});
