import { expect, it } from "vitest";
import { counted } from "../../src/domain/wording.ts";

it("says one of a thing and many of it", () => {
  expect([0, 1, 2].map((count) => counted(count, "poll"))).toEqual([
    "0 polls",
    "1 poll",
    "2 polls",
  ]);
  expect(counted(1, "entity", "entities")).toBe("1 entity");
  expect(counted(2, "entity", "entities")).toBe("2 entities");
});
