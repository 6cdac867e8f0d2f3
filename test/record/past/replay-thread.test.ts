import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/domain/limits.ts";
import type { PackedPage } from "../../../src/io/journal/record-pages.ts";
import { createReplayThread, entitiesAnswer } from "../../../src/record/past/replay-thread.ts";

it("a thread that is closed while the past is read for it gives a problem, and rejects nowhere else", async () => {
  const asked = Promise.withResolvers<void>();
  const pages = Promise.withResolvers<PackedPage[]>();
  const thread = createReplayThread({
    chapterAt: () => 0,
    pagesFrom: () => {
      asked.resolve();
      return pages.promise;
    },
  });
  const question = { type: "replay", at: 0, limits: DEFAULT_LIMITS } as const;
  const answer = thread.ask("home", { from: 0, until: 0 }, question, entitiesAnswer);
  await asked.promise;
  await thread.close();
  // A rejection that is left unhandled is one by now.
  await setImmediate();
  pages.resolve([]);
  expect(await answer).toEqual({
    ok: false,
    problem: "the past cannot be read: its thread ended",
  });
});
