import type { Rule } from "../../domain/rule.ts";
import type { AggregatorSettings, PollerSettings } from "../settings/resolve-aggregator.ts";

/** The aggregators that a rule judges. */
export function judgedBy(
  rule: Pick<Rule, "aggregators">,
  aggregators: readonly AggregatorSettings[],
): readonly AggregatorSettings[] {
  return aggregators.filter(({ name }) => rule.aggregators?.includes(name) ?? true);
}

/** The settings of a poller, of each aggregator for which it is on. */
export function pollerSettings(
  aggregators: readonly AggregatorSettings[],
  name: string,
): readonly PollerSettings[] {
  return aggregators.flatMap((aggregator) =>
    aggregator.pollers.filter((poller) => poller.name === name),
  );
}
