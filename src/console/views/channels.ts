import { html, type Markup } from "../element.ts";
import type { OverviewJson } from "../data/answers.ts";
import { Ago, Section, Since } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { grouped } from "../text/words.ts";

/** How people are notified. A channel that is down cannot say so itself. */
export function Channels({
  channels,
}: {
  readonly channels: OverviewJson["channels"];
}): Markup | undefined {
  if (channels.length === 0) return undefined;
  return html`<${Section} title="Channels">
    <${Table}
      heads=${["Channel", "Type", "Waiting", "Last delivered", "State"]}
      rows=${channels.map((channel) => [
        channel.name,
        channel.type,
        grouped(channel.waiting),
        channel.delivered_at === null ? "not yet" : html`<${Ago} at=${channel.delivered_at} />`,
        channel.failing_since === null
          ? (channel.last_error ?? "works")
          : html`<strong class="bad">failing for <${Since} at=${channel.failing_since} /></strong
              >:${" "} ${channel.last_error}`,
      ])}
    />
  <//>`;
}
