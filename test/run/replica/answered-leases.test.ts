import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fail, succeed } from "../../../src/domain/result.ts";
import type { LeaseStore } from "../../../src/io/postgres/lease-store.ts";
import { answeredLeases } from "../../../src/run/replica/answered-leases.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const UNANSWERED = fail("a question was not answered for 30s");

it("answers what the store never does, and gives back what a late answer brings", async () => {
  const answers: Array<() => void> = [];
  const released: number[] = [];
  const leases: LeaseStore = {
    take: async () =>
      await new Promise((resolve) => {
        answers.push(() => resolve(succeed({ taken: true, epoch: 7 })));
      }),
    renew: async () => await new Promise(() => undefined),
    release: async (_owner, epoch) => await Promise.resolve(succeed(void released.push(epoch))),
  };
  const answered = answeredLeases(leases, 30_000);
  const both = Promise.all([answered.take("a"), answered.renew("a", 6)]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await both).toEqual([UNANSWERED, UNANSWERED]);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(1);
  expect(released).toEqual([7]);
  const again = answered.take("a");
  answers[1]?.();
  expect(await again).toEqual(succeed({ taken: true, epoch: 7 }));
  expect([released, vi.getTimerCount()]).toEqual([[7], 0]);
});

it("gives nothing back for a late answer without a lease, and ends a release without an answer", async () => {
  const asked: Array<(answer: Awaited<ReturnType<LeaseStore["take"]>>) => void> = [];
  const released: number[] = [];
  const leases: LeaseStore = {
    take: async () => await new Promise((resolve) => void asked.push(resolve)),
    renew: async () => await new Promise(() => undefined),
    release: async (_owner, epoch) => {
      released.push(epoch);
      return await new Promise(() => undefined);
    },
  };
  const answered = answeredLeases(leases, 30_000);
  const all = Promise.all([answered.take("a"), answered.take("a"), answered.release("a", 6)]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await all).toEqual([UNANSWERED, UNANSWERED, UNANSWERED]);
  asked[0]?.(fail("no route"));
  asked[1]?.(succeed({ taken: false, owner: "b" }));
  await vi.advanceTimersByTimeAsync(1);
  expect(released).toEqual([6]);
});
