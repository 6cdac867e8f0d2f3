import type { Instant } from "../../domain/time.ts";
import { viewOf } from "../../io/api/lists/view.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import type { JournalReading } from "../../io/journal/past.ts";
import { createPastReader } from "../../record/past/past-reader.ts";
import { createBacktesting } from "../backtest/backtesting.ts";
import type { Loop } from "../loop.ts";

/** What reads the past, in threads of its own. */
type Past = Pick<ServerSource, "entitiesAt" | "entityPast" | "backtesting"> & {
  readonly close: () => Promise<void>;
};

export function createPast(
  loop: () => Pick<Loop, "policy" | "state">,
  journal: JournalReading,
  now: () => Instant,
  write: () => Promise<void> = () => Promise.resolve(),
): Past {
  const policy = (): ReturnType<Loop["policy"]> => loop().policy();
  const reader = createPastReader(journal, () => policy().limits, write);
  const view = () => viewOf(policy(), loop().state());
  const backtesting = createBacktesting({ past: journal, policy, view, now });
  const close = async (): Promise<void> => {
    await Promise.all([reader.close(), backtesting.close()]);
  };
  const { entitiesAt, entityPast } = reader;
  return { entitiesAt, entityPast, backtesting, close };
}
