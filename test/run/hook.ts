import type { ChannelSettings } from "../../src/config/settings/resolve-notify.ts";
import { webhook } from "../../src/notifiers/webhook.ts";
import { channel } from "../core/tell/channels.ts";

/** A channel that reaches no receiver. */
export const HOOK: ChannelSettings = {
  notifier: webhook,
  policy: channel("ops"),
  url: "http://hook.invalid/",
  secrets: {},
  options: {},
  auth: { type: "none" },
  route: {},
  body: undefined,
};
