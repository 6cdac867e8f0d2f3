import type { AlertNotification, Batch } from "../domain/notification.ts";
import { notificationLabels, WATCHDOG } from "../domain/notification.ts";
import type { Json } from "../domain/result.ts";
import { formatInstant, MINUTE, type Instant, type Millis } from "../domain/time.ts";
import { credential } from "../schema/credential.ts";
import { truth } from "../schema/fields.ts";
import { httpUrl } from "../schema/url.ts";
import { UNRECORDED, type Notifier, type NotifyContext } from "./notifier.ts";
import { alertsOf, annotationsOf, linkTo, mutedText, plain, suppressedText } from "./wording.ts";

/**
 * `POST /api/v2/alerts` of Alertmanager (its api/v2/openapi.yaml). Firing alerts are sent again and again, as by
 * Prometheus. If aggwatch dies, they end by themselves, but not before its death can have been noticed.
 */
export const alertmanager = {
  name: "alertmanager",
  key: "alertmanagers",
  means: "Alertmanager, which groups, routes and silences. Firing alerts are sent again and again.",
  example: "http://127.0.0.1:9093",
  topics: ["alerts"],
  // As in Prometheus (notifier/manager.go, maxBatchSize).
  most: 256,
  grouping: "any",
  resends: true,
  isUrlEnough: true,
  settings: {
    url: httpUrl("Its base URL."),
    auth: credential.prefault({}),
    watchdog: truth(
      "Sends `Watchdog` too, which always fires and has no severity: if it stops, aggwatch is gone.",
    ).prefault(true),
  },
  request: (batch, { url, headers }, context) => ({
    url: `${url.replace(/\/+$/, "")}/api/v2/alerts`,
    headers,
    body: alertsOf(batch).map((alert) => alertBody(alert, batch, context)),
  }),
} as const satisfies Notifier;

/** Four times, as in Prometheus (rules/alerting.go, resolvedRetention and endsAt). */
const RESENDS_UNTIL_END = 4;

/** AggwatchDown fires a minute after the last scrape, and a heartbeat is missed after about as long. */
const LEAST_UNTIL_END: Millis = 15 * MINUTE;

function alertBody(notification: AlertNotification, { at }: Batch, context: NotifyContext): Json {
  const generatorUrl = linkTo(notification, context.pageUrl);
  return {
    labels: texts(notificationLabels(notification)),
    annotations: texts({
      ...annotationsOf(notification, context.pageUrl),
      aggwatch_suppressed: suppressedText(notification, LONGEST_TEXT) ?? "",
      aggwatch_mutes: mutedText(notification),
      ...(context.unrecorded ? { aggwatch_note: UNRECORDED } : {}),
    }),
    startsAt: formatInstant(notification.firedAt),
    endsAt: formatInstant(endOf(notification, at, context)),
    ...(generatorUrl === "" ? {} : { generatorURL: generatorUrl }),
  };
}

function endOf(notification: AlertNotification, at: Instant, { resendMs }: NotifyContext): Instant {
  if (notification.state === "firing") {
    const own = RESENDS_UNTIL_END * resendMs;
    // If the watchdog ends, that is the alarm that aggwatch is gone.
    return at + (notification.key === WATCHDOG ? own : Math.max(LEAST_UNTIL_END, own));
  }
  return Math.max(notification.firedAt, notification.resolvedAt ?? at);
}

const LONGEST_TEXT = 2_000;

/** Alertmanager takes no empty label. Rules with an invalid name of one are refused. */
function texts(own: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.entries(own).filter(([, text]) => text !== "");
  return Object.fromEntries(given.map(([name, text]) => [name, plain(text, LONGEST_TEXT)]));
}
