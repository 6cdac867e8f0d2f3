import { html } from "hono/html";
import type { ChannelStatus } from "../../core/explain/status-notify.ts";
import type { Status } from "../../core/explain/status.ts";
import { ago, clock, section, table, type Markup } from "./parts.ts";

/** The channels of notifications. A channel that is down cannot say so itself, so the page does. */

export function channelBanners({ at, channels }: Status): string[] {
  return channels.flatMap(({ name, failingSince, waiting, lastError }) =>
    failingSince === undefined
      ? []
      : [
          `No notification has reached ${name} since ${clock(failingSince)} (${ago(at, failingSince)}): ${lastError?.detail ?? "it is not known why"}. ${waiting} wait.`,
        ],
  );
}

export function channelSection(status: Status): Markup {
  if (status.channels.length === 0) return html``;
  return section(
    "Channels",
    table(
      ["Channel", "Waiting", "Last delivered", "State"],
      status.channels.map((channel) => [
        html`${channel.name}<br /><small>${channel.type}</small>`,
        waitingText(status, channel),
        channel.deliveredAt === undefined ? "not yet" : ago(status.at, channel.deliveredAt),
        stateText(status, channel),
      ]),
    ),
  );
}

function waitingText({ at }: Status, { waiting, oldest }: ChannelStatus): string {
  return oldest === undefined ? "none" : `${waiting}, the oldest since ${ago(at, oldest)}`;
}

function stateText({ at }: Status, { failingSince, lastError, retryAt }: ChannelStatus): string {
  if (failingSince === undefined) return lastError?.detail ?? "works";
  const next = retryAt === undefined ? "" : `; tried again ${ago(at, retryAt)}`;
  return `failing since ${ago(at, failingSince)}: ${lastError?.detail ?? ""}${next}`;
}
