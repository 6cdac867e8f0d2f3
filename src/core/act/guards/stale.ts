import { formatDuration } from "../../../domain/time.ts";
import { describeDoubt, doubtAbout } from "../../observe/doubt.ts";
import { isOfRows, readableSince } from "../../observe/unread.ts";
import { flipsAt } from "../../judge/verdict.ts";
import { object, pass, type Guard } from "./guard.ts";

export const stale: Guard = {
  objectsIf:
    "the data behind the action is older than `max_age`, unknown, doubted (its listing is cut, partial or contradicts itself), or lacks a fact that the action needs",
  isPause: true,
  // What only shows the rows has read nothing, so that its last reading is no answer.
  isAsked: (state) => !isOfRows(state),
  ask: ({ state, policy, at, entity, rule, act, verdict }) => {
    const flip = (): number => flipsAt(rule, rule.when, entity, at);
    if (verdict.truth !== "bad") {
      const why = verdict.reason === undefined ? "" : `: ${verdict.reason}`;
      return object(() => `the condition is ${verdict.truth}${why}`, flip);
    }
    const surface = state.surfaces.get(entity.surface);
    const askedAt = surface?.askedAt;
    if (askedAt === undefined) {
      const since = readableSince(state, entity.aggregator);
      return object(() => `not read since ${since}`, "reading");
    }
    const doubt = doubtAbout(state, entity);
    if (doubt !== undefined) return object(() => describeDoubt(doubt), "reading");
    if (policy.actions.get(act.action)?.call(entity) === undefined) {
      return object(
        () => `a fact that ${act.action} needs is missing, or no request can be made of it`,
        "event",
      );
    }
    const { maxAgeMs } = policy.acting;
    const ageMs = at - askedAt;
    const detail = (): string =>
      `last read ${formatDuration(ageMs)} ago, max_age is ${formatDuration(maxAgeMs)}`;
    if (ageMs > maxAgeMs) return object(detail, "reading");
    return pass(detail, { whileYoung: flip });
  },
};
