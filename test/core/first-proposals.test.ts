/** Tests src/core/start.ts: proposals of the first versions. */
import { describe, expect, it } from "vitest";
import { restore } from "../../src/core/start.ts";
import { HOUR } from "../../src/domain/time.ts";
import { START } from "./world.ts";

describe("a proposal of the first versions, which did not keep what it showed", () => {
  const before = {
    id: "p1",
    alert: "ExchangeDisabled|bsc/exchange/A",
    alertStartedAt: START,
    rule: "ExchangeDisabled",
    action: "enable_exchange",
    entity: { aggregator: "bsc", kind: "exchange", id: "A" },
    proposedAt: START,
    expiresAt: START + HOUR,
    approvals: [{ by: "bob", reason: "fine", at: START }],
  };
  const denial = { by: "alice", reason: "no", at: START };
  const restored = (value: unknown) =>
    restore([{ table: "proposal", key: before.alert, value }]).tables.proposal.get(before.alert);

  it("is withdrawn with its approvals", () => {
    expect(restored(before)).toMatchObject({
      approvals: [],
      former: [],
      announcement: { isDone: true },
      withdrawn: { why: "an earlier version did not keep what it showed" },
    });
  });

  it("stays denied if it was", () => {
    const found = restored({ ...before, denial });
    expect(found).toMatchObject({ denial, announcement: { isDone: true } });
    expect(found).not.toHaveProperty("withdrawn");
  });
});
