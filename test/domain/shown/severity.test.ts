import { expect, it } from "vitest";
import { severityOf, severityRank } from "../../../src/domain/shown/severity.ts";

it("counts a severity that only a rule knows as critical", () => {
  expect(["info", "warning", "critical", "page", ""].map(severityOf)).toEqual([
    "info",
    "warning",
    "critical",
    "critical",
    "critical",
  ]);
});

it("ranks what is more severe higher", () => {
  const words = ["page", "info", "critical", "warning"];
  expect(words.toSorted((one, other) => severityRank(one) - severityRank(other))).toEqual([
    "info",
    "warning",
    "page",
    "critical",
  ]);
});
