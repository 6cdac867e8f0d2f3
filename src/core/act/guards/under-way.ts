import { parseAlertKey } from "../../../domain/alert.ts";
import type { State } from "../../state.ts";
import { object, pass, type Guard } from "./guard.ts";

/** More requests than that would wait for slots for longer than what they were decided by is true. */
export const MOST_UNDER_WAY = 100;

/** Asked last, so that it holds back only what would be sent otherwise. */
export const underWay: Guard = {
  objectsIf:
    "100 other actions on the aggregator are under way: the reading before them or their answer is awaited",
  ask: ({ state, alert, entity }) =>
    isFull(state, alert.key, entity.aggregator)
      ? object(() => `${MOST_UNDER_WAY} other actions are under way`, "event")
      : pass(() => `fewer than ${MOST_UNDER_WAY} other actions are under way`, "event"),
};

/** Whoever asks why something is as it is asks about one that may be under way itself. */
function isFull({ confirming, unanswered }: State, alert: string, aggregator: string): boolean {
  let spare = MOST_UNDER_WAY;
  if (confirming.size + unanswered.size < spare) return false;
  const own = `${aggregator}/`;
  for (const key of unanswered.keys()) if (key.startsWith(own)) spare -= 1;
  for (const key of confirming.keys())
    if (key !== alert && parseAlertKey(key).entity.startsWith(own)) spare -= 1;
  return spare <= 0;
}
