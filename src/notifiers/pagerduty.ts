import type { AlertNotification, Batch } from "../domain/notification.ts";
import { severityOf } from "../domain/shown/severity.ts";
import type { Json } from "../domain/result.ts";
import { formatInstant } from "../domain/time.ts";
import { secretKeys } from "../schema/credential.ts";
import { httpUrl } from "../schema/url.ts";
import { UNRECORDED, type Notifier, type NotifyContext } from "./notifier.ts";
import {
  alertsOf,
  alertText,
  entityName,
  headOfAll,
  highestSeverity,
  incidentKey,
  linkTo,
  mutedText,
  plain,
  runbookLink,
  suppressedText,
} from "./wording.ts";

/**
 * PagerDuty's Events API v2 (developer.pagerduty.com). One incident for each rule on each aggregator,
 * so that a storm pages once: the first alert triggers it, and the last one resolves it.
 */
export const pagerduty = {
  name: "pagerduty",
  key: "pagerduty",
  means: "PagerDuty, Events API v2: one incident for each rule on each aggregator.",
  example:
    "{ routing_key_env: PAGERDUTY_KEY, min_severity: critical, match: { aggregator: bsc-mainnet } }",
  topics: ["alerts"],
  most: 100,
  grouping: "rule",
  settings: {
    ...secretKeys("routing_key", "the integration's routing key"),
    url: httpUrl("Where events go; another one for PagerDuty's EU region.").prefault(
      "https://events.pagerduty.com/v2/enqueue",
    ),
  },
  request: (batch, { url, headers, secrets }, context) => ({
    url,
    headers,
    body: eventOf(batch, secrets["routing_key"] ?? "", context),
  }),
} as const satisfies Notifier;

/** Limits of the API, in characters. */
const LONGEST_SUMMARY = 1_024;
const LONGEST_KEY = 255;

function eventOf(batch: Batch, routingKey: string, context: NotifyContext): Json {
  const alerts = alertsOf(batch);
  const [first] = [...batch.firing.some, ...alerts];
  if (first === undefined) return {};
  const about = { routing_key: routingKey, dedup_key: incidentKey(batch, LONGEST_KEY) };
  if (batch.firing.total === 0) return { ...about, event_action: "resolve" };
  const page = linkTo(first, context.pageUrl);
  const runbook = runbookLink(first, context.pageUrl);
  const suppressed = suppressedText(first, 500);
  const links = [
    ...(runbook === "" ? [] : [{ href: runbook, text: "Runbook" }]),
    ...(page === "" ? [] : [{ href: page, text: "aggwatch" }]),
  ];
  return {
    ...about,
    event_action: "trigger",
    client: "aggwatch",
    ...(page === "" ? {} : { client_url: page }),
    links,
    payload: {
      summary: summaryOf(first, batch.firing.total),
      source: first.entity.aggregator,
      severity: severityOf(highestSeverity(batch.firing.some)),
      timestamp: formatInstant(first.firedAt),
      component: first.entity.kind,
      group: first.entity.aggregator,
      class: first.rule,
      custom_details: {
        firing: batch.firing.some.map(
          (notification) => `${entityName(notification)}: ${alertText(notification, 300)}`,
        ),
        firing_total: batch.firing.total,
        resolved: alerts
          .filter(({ state }) => state === "resolved")
          .slice(0, 20)
          .map(entityName),
        ...(first.mutes === undefined ? {} : { not_sent_while_it_fires: mutedText(first) }),
        ...(suppressed === undefined ? {} : { suppressed }),
        ...(context.unrecorded ? { note: UNRECORDED } : {}),
      },
    },
  };
}

function summaryOf(first: AlertNotification, total: number): string {
  const said = total > 1 ? "" : alertText(first, 700);
  return plain(`${headOfAll(first, total)}${said === "" ? "" : `: ${said}`}`, LONGEST_SUMMARY);
}
