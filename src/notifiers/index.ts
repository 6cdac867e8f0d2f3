import { alertmanager } from "./alertmanager.ts";
import type { Notifier } from "./notifier.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import { webhook } from "./webhook.ts";

/** Every notifier, in the order of the docs. */
export const notifiers = [alertmanager, webhook, slack, pagerduty] as const satisfies Notifier[];

/** The keys under `notify` that list channels. */
export type NotifierKey = (typeof notifiers)[number]["key"];
