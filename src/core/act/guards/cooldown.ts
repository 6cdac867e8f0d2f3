import { entityKey } from "../../../domain/entity.ts";
import { formatDuration, type Millis } from "../../../domain/time.ts";
import { object, pass, type Guard } from "./guard.ts";

export const cooldown: Guard = {
  objectsIf:
    "less than the rule's `cooldown` has passed since the last attempt on the entity; it doubles with each failure in a row",
  ask: ({ state, at, act, entity }) => {
    const attempt = state.tables.attempt.get(entityKey(entity));
    if (attempt === undefined) return pass(() => "it was never tried before", "event");
    const { lastAt, failures } = attempt;
    const cooldownMs = cooldownAfter(act.cooldownMs, failures);
    const passedMs = at - lastAt;
    const detail = (): string =>
      `${formatDuration(passedMs)} of ${formatDuration(cooldownMs)} since the last attempt (${failures} failed in a row)`;
    return passedMs >= cooldownMs
      ? pass(detail, "event")
      : object(detail, () => lastAt + cooldownMs);
  },
};

/** The rule's cooldown, doubled for each attempt that failed in a row, at most 64 times as long. */
export function cooldownAfter(cooldownMs: Millis, failures: number): Millis {
  return cooldownMs * 2 ** Math.min(failures, 6);
}
