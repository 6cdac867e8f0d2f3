import { expect, it } from "vitest";
import type { Alert } from "../../../src/domain/alert.ts";
import type { Finding } from "../../../src/domain/step.ts";
import { succeed } from "../../../src/domain/result.ts";
import type { JournalRecord } from "../../../src/io/journal/journal.ts";
import { withoutAlertsOf } from "../../../src/run/replica/owned-journal.ts";

const alert = (kind: string): { readonly at: number; readonly finding: Finding } => ({
  at: 1,
  finding: {
    type: "alert",
    change: "firing",
    alert: { key: kind, entity: { aggregator: "bsc", kind, id: "x" } } as unknown as Alert,
    detail: "",
  },
});

it("a unit writes no finding about an alert that home alone tells of: both would be one in the past", async () => {
  const committed: JournalRecord[] = [];
  const journal = withoutAlertsOf(
    {
      rows: () => [],
      commitLater: async (record) => {
        committed.push(record);
        return await Promise.resolve(succeed(undefined));
      },
    },
    new Set(["aggregator"]),
  );
  const findings = [alert("aggregator"), alert("swap")];
  await journal.commitLater({ at: 1, changes: [], findings });
  expect(committed.map((record) => record.findings)).toEqual([[alert("swap")]]);
});
