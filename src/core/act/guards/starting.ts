import { formatDuration } from "../../../domain/time.ts";
import { doubtAbout } from "../../observe/doubt.ts";
import { isOfRows, readableSince } from "../../observe/unread.ts";
import { object, pass, type Guard } from "./guard.ts";

export const starting: Guard = {
  objectsIf:
    "the process started less than `settle_after_start` ago, or has not read the whole surface yet, or has not finished checking its journal for damage",
  isKeptCurrent: true,
  isPause: true,
  // What only shows the rows has read nothing, so that its last reading is no answer.
  isAsked: (state) => !isOfRows(state),
  ask: ({ state, policy, at, entity }) => {
    const { startedAt } = state;
    if (!Number.isFinite(startedAt)) return object(() => "not started yet", "event");
    const { settleAfterStartMs } = policy.acting;
    const settle = (): string => formatDuration(settleAfterStartMs);
    const running = (): string => formatDuration(at - startedAt);
    if (at - startedAt < settleAfterStartMs) {
      return object(
        () => `running for ${running()} of settle_after_start ${settle()}`,
        () => startedAt + settleAfterStartMs,
      );
    }
    if (state.journalUnchecked) {
      return object(() => "the journal is not checked for damage since the start", "event");
    }
    if (state.surfaces.get(entity.surface)?.everComplete !== true) {
      const since = readableSince(state, entity.aggregator);
      const doubt = doubtAbout(state, entity);
      // Its details may differ at each poll.
      const why = doubt === undefined ? "" : `: its listing is doubted (${doubt.reason})`;
      return object(() => `no complete reading of its surface since ${since}${why}`, "reading");
    }
    return pass(() => `running for ${running()}, settle_after_start is ${settle()}`, "event");
  },
};
