import { describe, expect, it } from "vitest";
import {
  leaseProblem,
  pollerId,
  sendersNumber,
  sendersUnit,
  unitOfSender,
} from "../../src/domain/lease.ts";

describe("the unit of a sender", () => {
  it("never changes: where its rows are depends on it", () => {
    const senders = ["0x1", "0xab5801a7d398351b8be11c439e05c5b3259aec9b", "desk-a", ""];
    expect(senders.map((sender) => unitOfSender(sender, 1))).toEqual([1, 1, 1, 1]);
    expect(senders.map((sender) => unitOfSender(sender, 7))).toEqual([6, 6, 3, 5]);
  });

  it("is any of them alike, also for addresses that count up", () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let n = 0; n < 16_000; n += 1) {
      const unit = unitOfSender(`0x${n.toString(16).padStart(40, "0")}`, 16);
      counts[unit - 1] = (counts[unit - 1] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(900);
    expect(Math.max(...counts)).toBeLessThan(1_100);
  });
});

it("a unit of senders is told by its number, and a poller by that of its unit", () => {
  expect(sendersNumber(sendersUnit(12))).toBe(12);
  expect(["home", "senders/", "senders/x", "x/senders/1", "senders/1x"].map(sendersNumber)).toEqual(
    Array.from({ length: 5 }),
  );
  expect(pollerId({ name: "swaps" })).toBe("swaps");
  expect(pollerId({ name: "swaps", unit: 3 })).toBe("swaps/3");
});

it("a lease is enough to act if it lasts longer than the request may take", () => {
  const neededMs = 10_000;
  expect(leaseProblem({ epoch: 0, leftMs: 10_001, neededMs })).toBeUndefined();
  expect(leaseProblem({ epoch: 7, leftMs: 10_000, neededMs })).toBe(
    "the lease, of epoch 7, lasts 10s more, and a request may take 10s",
  );
  expect(leaseProblem({ epoch: undefined, leftMs: 20_000, neededMs })).toBe(
    "this replica does not hold the lease",
  );
});
