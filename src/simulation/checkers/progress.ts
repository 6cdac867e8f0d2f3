import { formatDuration, formatInstant, MINUTE, SECOND, type Instant } from "../../domain/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Step } from "../run-event.ts";
import { on } from "./checker.ts";

/** How long a calm loop may go without a tick. */
const LONGEST_SILENCE = 5 * SECOND;
/** A poller backs off for a minute at most after a failure, and the next poll takes time. */
const LONGEST_PAUSE = MINUTE + 15 * SECOND;
/** In ticks, as none pass while the process stands still. A probe waits for an earlier one that still runs. */
const LONGEST_PROBE = 45;
/** How long after the faults the journal may still be unchecked. */
const LONGEST_CHECK = 2 * MINUTE;

/** After the faults, time passes, every poller polls, and commits succeed; every probe is answered at any time. */
export const progress = on(["ended", "step"], "9 nothing hangs: progress", (event, ledger) => {
  const { calmSince, polls } = ledger;
  const last = Math.max(polls.tickedAt, calmSince ?? Infinity);
  const silence =
    event.at - last > LONGEST_SILENCE
      ? [`no tick came from ${formatInstant(last)} to ${formatInstant(event.at)}`]
      : [];
  if (event.type === "ended" || event.event.type !== "tick") return silence;
  return [
    ...silence,
    ...unanswered(event, ledger),
    ...waitingTooLong(event),
    ...(calmSince === undefined ? [] : stopped(event, ledger, calmSince)),
    ...(calmSince === undefined ? [] : unchecked(event, ledger, calmSince)),
  ];
});

/** In the calm: a repaired journal is soon found to be sound. */
function unchecked({ at }: Step, ledger: Ledger, calmSince: Instant): string[] {
  const what = "the journal is not checked";
  const isLate = !ledger.journalIsSound && at - calmSince > LONGEST_CHECK;
  return isLate && ledger.reportOnce(what) ? [`${what} at ${formatInstant(at)}`] : [];
}

/** At any time: a wanted probe is answered. One that was requested before it was wanted does not count. */
function unanswered({ at }: Step, ledger: Ledger): string[] {
  return [...ledger.polls.wantedProbes].flatMap(([key, wanted]) => {
    if (wanted.ticks <= LONGEST_PROBE) return [];
    const name = `a probe of ${key}, wanted at ${formatInstant(wanted.at)},`;
    if (!ledger.reportOnce(name)) return [];
    return [`${name} has not come by ${formatInstant(at)}`];
  });
}

/** At any time: a tick ends the wait for a confirmation that has not come within `confirm_within`. */
function waitingTooLong({ state, policy, stampedAt }: Step): string[] {
  const { confirmWithinMs } = policy.acting;
  return [...state.confirming].flatMap(([key, { requestedAt }]) => {
    if (stampedAt - requestedAt < confirmWithinMs) return [];
    return [
      `${key} waits for a confirmation at ${formatInstant(stampedAt)}, since ${formatInstant(requestedAt)}: confirm_within is ${formatDuration(confirmWithinMs)}`,
    ];
  });
}

/** In the calm: commits that fail, and pollers that do not poll. */
function stopped({ at, policy, durable }: Step, ledger: Ledger, calmSince: Instant): string[] {
  const found = durable ? [] : [`a commit failed at ${formatInstant(at)}, after the faults`];
  for (const { name, pollers } of policy.aggregators) {
    for (const { name: poller, intervalMs } of pollers) {
      const key = `${name}/${poller}`;
      const last = Math.max(calmSince, ledger.polls.polledAt.get(key) ?? calmSince);
      if (at - last <= 2 * intervalMs + LONGEST_PAUSE) continue;
      const what = `${key} was polled last at ${formatInstant(last)}`;
      if (!ledger.reportOnce(what)) continue;
      found.push(
        `${what}, and it is ${formatInstant(at)}: it is due every ${formatDuration(intervalMs)}`,
      );
    }
  }
  return found;
}
