import { expect, it } from "vitest";
import type { JournalReading } from "../../../src/io/journal/past.ts";
import { createPast } from "../../../src/run/service/past.ts";
import { scriptedWorld, START } from "../../core/world.ts";

it("ends the threads that read the past when it is closed, and with them what they are asked", async () => {
  const { policy, state } = scriptedWorld({ rules: [] });
  const asked = Promise.withResolvers<void>();
  const pages = Promise.withResolvers<[]>();
  const journal: Partial<JournalReading> = {
    recordSpan: () => ({ firstAt: START, lastAt: START }),
    recordUnits: () => ["home"],
    chapterAt: () => 0,
    pagesFrom: async () => {
      asked.resolve();
      return await pages.promise;
    },
  };
  const past = createPast(
    () => ({ policy: () => policy, state: () => state }),
    journal as JournalReading,
    () => START,
  );
  const answer = past.entitiesAt(START);
  await asked.promise;
  expect(past.backtesting.start("alice", { since: START, until: START })).toBe(true);
  await past.close();
  pages.resolve([]);
  expect(past.backtesting.status().state).toBe("cancelled");
  expect(await answer).toEqual({
    ok: false,
    problem: "the past cannot be read: its thread ended",
  });
});
