import { problemWithoutPlace, type Problem } from "../config/problem.ts";
import { formatDuration, SECOND } from "../domain/time.ts";
import { activePollers, type AggregatorSetup } from "../run/setup.ts";
import { aggregatorOfHome } from "../run/units/unit-setup.ts";
import { watchedByFiles } from "./check-watch.ts";
import { aggregatorSetup } from "./setup-of.ts";
import type { Loaded } from "./load.ts";

/**
 * A reading justifies an action for `max_age`, from when its first request was sent. If the rate alone makes it take
 * longer to be read, each is too old by the time that it is there, and no action of a rule about it is ever sent.
 */
export function maxAgeProblems(
  { settings, compiled }: Pick<Loaded, "settings" | "compiled">,
  config: string,
): readonly Problem[] {
  const { maxAgeMs } = settings.actions;
  const { shards } = settings.journal;
  const acting = compiled.flatMap(({ rule, enabled }) =>
    enabled && rule?.act !== undefined ? [rule.kind] : [],
  );
  return settings.aggregators.flatMap((one) => {
    const { name, rate } = one;
    const setup = { ...aggregatorSetup(one), watch: watchedByFiles(one).watch };
    const part = shards === 0 ? setup : aggregatorOfHome(setup, shards);
    return slowestOf(part, new Set(acting)).flatMap(({ poller, requests }) => {
      const { requestsPerSecond } = part.client.rate;
      const takesMs = Math.ceil((requests * SECOND) / requestsPerSecond);
      if (takesMs <= maxAgeMs) return [];
      const ofRate =
        shards === 0
          ? `at ${requestsPerSecond} requests/s`
          : `at ${requestsPerSecond.toFixed(2)} requests/s, the fifth of ${rate.requestsPerSecond} that is for what acts if there are shards`;
      const least = Math.ceil((takesMs * rate.requestsPerSecond) / maxAgeMs);
      const message = `a reading by ${poller} of ${name} takes ${requests} requests, ${formatDuration(takesMs)} ${ofRate}; actions.max_age is ${formatDuration(maxAgeMs)}, so it is too old to act on as soon as it is there`;
      const hint = `make actions.max_age ${formatDuration(Math.ceil((2 * takesMs) / SECOND) * SECOND)} or more, or rate.requests_per_second ${least} or more`;
      const problem = problemWithoutPlace(config, "lint/max-age-too-short", message, hint);
      return [{ severity: "warning" as const, ...problem }];
    });
  });
}

/** For each poller of a kind that rules act on, how many requests one reading takes at most. */
function slowestOf(part: AggregatorSetup, acting: ReadonlySet<string>) {
  return activePollers(part)
    .filter(({ poller }) => poller.kinds.some(({ kind }) => acting.has(kind)))
    .map(({ poller }) => ({
      poller: poller.name,
      requests: Math.max(...poller.plan(part.watch).map(({ requests }) => requests.length)),
    }));
}
