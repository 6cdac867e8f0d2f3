import { alertmanager } from "./alertmanager.ts";
import type { Notifier, NotifierName } from "./notifier.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import { webhook } from "./webhook.ts";

/** Every notifier, in the order of the docs. */
export const notifiers: readonly Notifier[] = [alertmanager, webhook, slack, pagerduty];

export const notifiersByName: ReadonlyMap<NotifierName, Notifier> = new Map(
  notifiers.map((notifier) => [notifier.name, notifier]),
);
