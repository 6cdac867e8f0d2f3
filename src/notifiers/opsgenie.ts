import type { Batch } from "../domain/notification.ts";
import { severityOf } from "../domain/shown/severity.ts";
import type { Json } from "../domain/result.ts";
import { secretKeys } from "../schema/credential.ts";
import { httpUrl } from "../schema/url.ts";
import type { Notifier, NotifyContext } from "./notifier.ts";
import { plainMessage } from "./plain-message.ts";
import { headOfAll, highestSeverity, incidentKey, linkTo, plain, runbookLink } from "./wording.ts";

/**
 * Opsgenie's Alert API, v2 (docs.opsgenie.com/docs/alert-api). One alert for each rule on each aggregator, so that a
 * storm pages once: the first alert creates it, the others are deduplicated into it, and the last one closes it.
 */
export const opsgenie = {
  name: "opsgenie",
  key: "opsgenie",
  means: "Opsgenie, Alert API: one alert for each rule on each aggregator.",
  example: "{ api_key_env: OPSGENIE_KEY, url: https://api.eu.opsgenie.com }",
  topics: ["alerts"],
  most: 100,
  grouping: "rule",
  settings: {
    ...secretKeys("api_key", "the integration's API key"),
    url: httpUrl("The API; another one for Opsgenie's EU region.").prefault(
      "https://api.opsgenie.com",
    ),
  },
  request: (batch, { url, headers, secrets }, context) => {
    const base = `${url.replace(/\/+$/, "")}/v2/alerts`;
    const alias = incidentKey(batch, LONGEST_ALIAS);
    const isOver = batch.firing.total === 0;
    return {
      url: isOver ? `${base}/${encodeURIComponent(alias)}/close?identifierType=alias` : base,
      headers: { ...headers, authorization: `GenieKey ${secrets["api_key"] ?? ""}` },
      body: isOver
        ? { source: "aggwatch", note: plainMessage(batch, context, { longest: LONGEST_TEXT }) }
        : created(batch, alias, context),
    };
  },
} as const satisfies Notifier;

/** Limits of the API, in characters. */
const LONGEST_MESSAGE = 130;
const LONGEST_ALIAS = 512;
const LONGEST_TEXT = 15_000;

/** P1 is the most urgent. */
const PRIORITIES = { info: "P5", warning: "P3", critical: "P1" } as const;

function created(batch: Batch, alias: string, context: NotifyContext): Json {
  const { firing } = batch;
  const [first] = firing.some;
  if (first === undefined) return {};
  const page = linkTo(first, context.pageUrl);
  const runbook = runbookLink(first, context.pageUrl);
  return {
    message: plain(headOfAll(first, firing.total), LONGEST_MESSAGE),
    alias,
    description: plainMessage(batch, context, { longest: LONGEST_TEXT }),
    priority: PRIORITIES[severityOf(highestSeverity(firing.some))],
    source: "aggwatch",
    entity: plain(first.entity.aggregator, 512),
    tags: [plain(first.rule, 50), plain(first.severity, 50)],
    details: {
      firing_total: String(firing.total),
      ...(runbook === "" ? {} : { runbook }),
      ...(page === "" ? {} : { page }),
    },
  };
}
