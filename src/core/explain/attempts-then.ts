import type { Alert } from "../../domain/alert.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Instant } from "../../domain/time.ts";

/**
 * The attempts that an alert has had by an instant: those at its last move by then, one for each action requested since,
 * and one less for each that is since known not to have been sent. The remediations are its own, as of that instant.
 */
export function attemptsThen(
  { attempts, startedAt }: Pick<Alert, "attempts" | "startedAt">,
  movedAt: Instant,
  own: readonly Remediation[],
): number {
  let count = attempts;
  for (const { requestedAt, answeredAt, unsent, alertStartedAt } of own) {
    if (alertStartedAt !== startedAt) continue;
    const isCounted = requestedAt < movedAt;
    if (unsent !== true) count += isCounted ? 0 : 1;
    else if (isCounted && answeredAt !== undefined && answeredAt > movedAt) count -= 1;
  }
  return count;
}
