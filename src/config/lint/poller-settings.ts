import type { AggregatorSettings, PollerSettings } from "../settings/resolve-aggregator.ts";

/** The settings of a poller, of each aggregator for which it is on. */
export function pollerSettings(
  aggregators: readonly AggregatorSettings[],
  name: string,
): readonly PollerSettings[] {
  return aggregators.flatMap((aggregator) =>
    aggregator.pollers.filter((poller) => poller.name === name),
  );
}
