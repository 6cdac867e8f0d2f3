import { entityKey } from "../../../domain/entity.ts";
import { formatDuration, type Millis } from "../../../domain/time.ts";
import { object, pass, type Guard } from "./guard.ts";

export const cooldown: Guard = {
  objectsIf:
    "less than the rule's `cooldown` has passed since the last attempt on the entity; it doubles with each failure in a row. Or several in a row were held back before they were sent: then from twice `max_age` on, doubled for each, up to `cooldown`",
  ask: ({ policy, state, at, alert, act, entity }) => {
    const { times, lastAt: unsentAt } = alert.unsent ?? { times: 0, lastAt: 0 };
    const pauseMs = pauseAfterUnsent(policy.acting.maxAgeMs, act.cooldownMs, times);
    if (at - unsentAt < pauseMs) {
      const passed = formatDuration(at - unsentAt);
      const detail = (): string =>
        `${passed} of ${formatDuration(pauseMs)} since the last request, which was not sent (${times} in a row)`;
      return object(detail, () => unsentAt + pauseMs);
    }
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

/**
 * How long after the request of one that was held back the next may follow. The first follows at once, as a reading that
 * came in between is no reason to wait. But if each grows too old before its turn, so will the next.
 */
function pauseAfterUnsent(maxAgeMs: Millis, cooldownMs: Millis, times: number): Millis {
  return times < 2 ? 0 : Math.min(cooldownMs, maxAgeMs * 2 ** (times - 1));
}
