import { surfaceKey } from "../../domain/observation.ts";
import { formatDuration, formatInstant, MINUTE, SECOND, type Instant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import type { Step } from "./acts.ts";

/** How long a calm loop may go without a tick. */
const LONGEST_SILENCE = 5 * SECOND;
/** A poll that failed backs off for a minute at the most, and takes its time. */
const LONGEST_PAUSE = MINUTE + 15 * SECOND;
/** In ticks, as none pass while the process stands still: a probe that runs already is waited for. */
const LONGEST_PROBE = 45;

class ProgressBook {
  readonly polledAt = new Map<string, Instant>();
  readonly wantedAt = new Map<
    string,
    { readonly at: Instant; readonly stamp: Instant; ticks: number }
  >();
  calmSince: Instant | undefined;
  tickedAt: Instant = Number.NEGATIVE_INFINITY;

  note({ event, result, policy, at, stampedAt: stamp }: Step): void {
    if (event.type === "tick") this.tickedAt = at;
    if (event.type === "observed") {
      const { aggregator, poller, origin, parts } = event.observation;
      if (origin === "poll") this.polledAt.set(`${aggregator}/${poller}`, at);
      for (const { surface, askedAt } of origin === "probe" ? parts : []) {
        const key = surfaceKey(aggregator, poller, surface);
        if (askedAt >= (this.wantedAt.get(key)?.stamp ?? Infinity)) this.wantedAt.delete(key);
      }
    }
    if (event.type === "policy_changed" || event.type === "started") this.wantedAt.clear();
    for (const effect of result.effects) {
      if (effect.type !== "probe") continue;
      const isWatched = policy.aggregators.some(
        ({ name, pollers }) =>
          name === effect.aggregator && pollers.some((poller) => poller.name === effect.poller),
      );
      const key = surfaceKey(effect.aggregator, effect.poller, effect.surface);
      if (isWatched && !this.wantedAt.has(key)) this.wantedAt.set(key, { at, stamp, ticks: 0 });
    }
  }

  /** At any time: the probe that comes late is one that was asked before it was wanted. */
  unanswered({ at }: Step): string[] {
    const found: string[] = [];
    for (const [key, wanted] of this.wantedAt) {
      wanted.ticks += 1;
      if (wanted.ticks <= LONGEST_PROBE) continue;
      this.wantedAt.delete(key);
      found.push(
        `a probe of ${key}, wanted at ${formatInstant(wanted.at)}, has not come by ${formatInstant(at)}`,
      );
    }
    return found;
  }

  look({ at, policy, durable }: Step, since: Instant): string[] {
    const found: string[] = [];
    if (!durable) found.push(`a commit failed at ${formatInstant(at)}, after the faults`);
    for (const { name, pollers } of policy.aggregators) {
      for (const { name: poller, intervalMs } of pollers) {
        const key = `${name}/${poller}`;
        const last = Math.max(since, this.polledAt.get(key) ?? since);
        if (at - last <= 2 * intervalMs + LONGEST_PAUSE) continue;
        this.polledAt.set(key, at);
        found.push(
          `${key} was polled last at ${formatInstant(last)}, and it is ${formatInstant(at)}: it is due every ${formatDuration(intervalMs)}`,
        );
      }
    }
    return found;
  }
}

/** At any time: a tick ends the waiting for a confirmation that has not come within `confirm_within`. */
function waitingTooLong({ state, policy, stampedAt }: Step): string[] {
  const { confirmWithinMs } = policy.acting;
  return [...state.confirming].flatMap(([key, { requestedAt }]) => {
    if (stampedAt - requestedAt < confirmWithinMs) return [];
    return [
      `${key} waits for a confirmation at ${formatInstant(stampedAt)}, since ${formatInstant(requestedAt)}: confirm_within is ${formatDuration(confirmWithinMs)}`,
    ];
  });
}

/** After the faults time passes, every poller polls, every probe is answered, and commits succeed. */
export function checkProgress(): Checker {
  const book = new ProgressBook();
  return {
    invariant: "9 nothing hangs: progress",
    witness: (seen) => {
      if (seen.type === "faults_ended") book.calmSince = seen.at;
      if (seen.type !== "ended" && seen.type !== "step") return [];
      const { calmSince } = book;
      const last = Math.max(book.tickedAt, calmSince ?? Infinity);
      const found =
        seen.at - last > LONGEST_SILENCE
          ? [`no tick came from ${formatInstant(last)} to ${formatInstant(seen.at)}`]
          : [];
      if (seen.type === "ended") return found;
      book.note(seen);
      if (seen.event.type !== "tick") return found;
      found.push(...book.unanswered(seen), ...waitingTooLong(seen));
      return calmSince === undefined ? found : [...found, ...book.look(seen, calmSince)];
    },
  };
}
