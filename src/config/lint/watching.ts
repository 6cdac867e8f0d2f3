import { pollers } from "../../pollers/index.ts";
import type { Poller } from "../../pollers/poller.ts";
import type { AggregatorSettings, PollerSettings } from "../settings/settings.ts";

/** The poller that gives a kind; none for what the core gives itself. */
export function pollerOfKind(kind: string): Poller | undefined {
  return pollers.find(({ kinds }) => kinds.some((definition) => definition.kind === kind));
}

/** How a poller is set where it is on. */
export function pollerSettings(
  aggregators: readonly AggregatorSettings[],
  name: string,
): readonly PollerSettings[] {
  return aggregators.flatMap((aggregator) =>
    aggregator.pollers.filter((poller) => poller.name === name),
  );
}
