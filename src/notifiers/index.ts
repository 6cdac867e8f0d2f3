import { alertmanager } from "./alertmanager.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import type { Notifier } from "./notifier.ts";
import { ntfy } from "./ntfy.ts";
import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import { telegram } from "./telegram.ts";
import { webhook } from "./webhook.ts";

/** Every notifier, in the order of the docs. */
export const notifiers = [
  alertmanager,
  webhook,
  slack,
  pagerduty,
  telegram,
  discord,
  ntfy,
  opsgenie,
  email,
] as const satisfies Notifier[];

/** The keys under `notify` that list channels. */
export type NotifierKey = (typeof notifiers)[number]["key"];
