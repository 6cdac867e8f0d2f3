import type { Problem } from "../config/problem.ts";
import { formatDuration, SECOND } from "../domain/time.ts";
import { activePollers, type AggregatorSetup } from "../run/setup.ts";
import { aggregatorOfHome } from "../run/units/unit-setup.ts";
import { aggregatorWarning, watchedByFiles } from "./check-watch.ts";
import { aggregatorSetup } from "./setup-of.ts";
import type { Loaded } from "./load.ts";

/**
 * A reading justifies an action for `max_age`, counted from its first request. If at the allowed rate a reading takes
 * longer than that, each is too old when it is complete, and no rule about it ever sends an action.
 */
export function maxAgeProblems({
  settings,
  compiled,
}: Pick<Loaded, "settings" | "compiled">): readonly Problem[] {
  const { maxAgeMs } = settings.actions;
  const { shards } = settings.journal;
  const acting = compiled.flatMap(({ rule, enabled }) =>
    enabled && rule?.act !== undefined ? [rule] : [],
  );
  return settings.aggregators.flatMap((one, index) => {
    const { name, rate } = one;
    const setup = { ...aggregatorSetup(one), watch: watchedByFiles(one).watch };
    const part = shards === 0 ? setup : aggregatorOfHome(setup, shards);
    const own = acting.filter(({ aggregators }) => aggregators?.includes(name) ?? true);
    const actedOn = new Set(own.map(({ kind }) => kind));
    return slowestOf(part, actedOn).flatMap(({ poller, requests }) => {
      const { requestsPerSecond } = part.client.rate;
      const takesMs = Math.ceil((requests * SECOND) / requestsPerSecond);
      if (takesMs <= maxAgeMs) return [];
      const ofRate =
        shards === 0
          ? `at ${requestsPerSecond} requests/s`
          : `at ${requestsPerSecond.toFixed(2)} requests/s, a fifth of ${rate.requestsPerSecond}, which is what shards leave for what acts`;
      const least = Math.ceil((takesMs * rate.requestsPerSecond) / maxAgeMs);
      const message = `a reading by ${poller} of ${name} takes ${requests} requests, ${formatDuration(takesMs)} ${ofRate}; actions.max_age is ${formatDuration(maxAgeMs)}, so every reading is too old to act on`;
      const hint = `make actions.max_age ${formatDuration(Math.ceil((2 * takesMs) / SECOND) * SECOND)} or more, or rate.requests_per_second ${least} or more`;
      return [aggregatorWarning(settings, index)("lint/max-age-too-short", message, hint)];
    });
  });
}

/** How many requests a reading takes at most, for each poller of a kind that rules act on. */
function slowestOf(part: AggregatorSetup, acting: ReadonlySet<string>) {
  return activePollers(part)
    .filter(({ poller }) => poller.kinds.some(({ kind }) => acting.has(kind)))
    .map(({ poller }) => ({
      poller: poller.name,
      // There may be more surfaces than a call takes arguments.
      requests: poller
        .plan(part.watch)
        .reduce((most, { requests }) => Math.max(most, requests.length), 0),
    }));
}
