import { expect, it } from "vitest";
import type { Alert } from "../../../src/domain/alert.ts";
import { succeed } from "../../../src/domain/result.ts";
import type { JournalRecord, StoredFinding } from "../../../src/io/journal/journal.ts";
import { withoutFindingsOfHome } from "../../../src/run/replica/owned-journal.ts";

const alert = (kind: string): StoredFinding => ({
  at: 1,
  finding: {
    type: "alert",
    change: "firing",
    alert: { key: kind, entity: { aggregator: "bsc", kind, id: "x" } } as unknown as Alert,
    detail: "",
  },
});

const reloaded: StoredFinding = {
  at: 1,
  finding: {
    type: "policy",
    added: [],
    removed: [],
    changed: ["SwapStuck"],
    reload: { by: "alice", settings: [] },
  },
};

it("a unit writes no finding of an alert that home alone reports, nor of a reload", async () => {
  const committed: JournalRecord[] = [];
  const journal = withoutFindingsOfHome(
    {
      rows: () => [],
      commitLater: async (record) => {
        committed.push(record);
        return await Promise.resolve(succeed(undefined));
      },
    },
    new Set(["aggregator"]),
  );
  const findings = [alert("aggregator"), reloaded, alert("swap")];
  await journal.commitLater({ at: 1, changes: [], findings });
  expect(committed.map((record) => record.findings)).toEqual([[alert("swap")]]);
});
