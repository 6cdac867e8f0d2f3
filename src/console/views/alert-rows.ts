import { html, type Markup } from "../element.ts";
import { isOfThen } from "../../domain/shown/suppression.ts";
import { linkTo } from "../data/store.ts";
import type { Alert, AlertsJson, Guard } from "../data/answers.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Sentence } from "../parts/sentence.ts";
import { Badge, EntityLink, OnAggregator, Since } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { grouped } from "../text/words.ts";

/** The worst alerts that a query finds, as a short table. */
export function AlertRows(properties: {
  readonly filters: Readonly<Record<string, string>>;
  readonly most: number;
}): Markup {
  const { filters, most } = properties;
  const query = new URLSearchParams({ ...filters, limit: String(most) });
  const answer = useAnswer<AlertsJson>(`api/v1/alerts?${query}`);
  if (answer === undefined) return html`<p class="quiet">Loading …</p>`;
  if (!answer.ok) return html`<p class="quiet">Not known: ${answer.problem}</p>`;
  const { alerts, total } = answer.value;
  return html`<${Table}
      heads=${["State", "For", "Entity", "Says", "What aggwatch did"]}
      rows=${alerts.map((alert) => [
        html`<a href=${alertHash(alert)}><${AlertBadge} alert=${alert} /></a>`,
        html`<${Since} at=${stateSince(alert)} />`,
        html`<${EntityLink} entity=${alert.entity} alias=${alert.alias} />
          <small>${alert.entity.kind}</small><${OnAggregator} entity=${alert.entity} />`,
        alertText(alert),
        html`<${Sentence} text=${resultText(alert)} />`,
      ])}
    />
    ${
      total > alerts.length &&
      html`<p>
        <a href=${linkTo(["alerts"], filters)}>… and ${grouped(total - alerts.length)} more</a>
      </p>`
    }`;
}

export function AlertBadge({ alert }: { readonly alert: Alert }): Markup {
  return html`<${Badge} word=${alert.state} tone=${`${alert.state} ${alert.severity}`} />`;
}

/** Since when an alert is in its state. */
export function stateSince({
  resolved_at,
  fired_at,
  active_at,
}: Pick<Alert, "resolved_at" | "fired_at" | "active_at">): string {
  return resolved_at ?? fired_at ?? active_at;
}

/** The description of the rule's annotations, or else the summary. */
export function alertText({ annotations }: Pick<Alert, "annotations">): string {
  return annotations["description"] ?? annotations["summary"] ?? "";
}

/** The permalink of an alert. */
export function alertHash({ alertname, entity }: Pick<Alert, "alertname" | "entity">): string {
  return linkTo(["alert", alertname, entity.aggregator, entity.kind, entity.id]);
}

function reasonThen(suppressed: NonNullable<Alert["suppressed"]>): string {
  const { reason, since } = suppressed;
  return isOfThen(suppressed) ? `${reason}, as of ${since}` : reason;
}

/**
 * What was sent, and why no more is sent: all of it, as none implies another. An alert says why as it was when a guard
 * began to object; `guards` are what they say now.
 */
export function resultText(alert: Omit<Alert, "alias">, guards?: readonly Guard[]): string {
  const { attempts, state, inhibited_by: inhibitors, unknown_since: unknown } = alert;
  const { silenced_by: silences, silenced_until: until, open_remediation: open } = alert;
  const objecting = guards?.find(({ objects }) => objects);
  const suppressed =
    guards === undefined
      ? alert.suppressed && { ...alert.suppressed, reason: reasonThen(alert.suppressed) }
      : objecting && { reason: objecting.guard, detail: objecting.detail };
  const parts = attempts > 0 ? [`sent ${attempts}x`] : [];
  if (open !== null) parts.push(`${open} is not settled`);
  if (state !== "resolved") {
    if (unknown !== null) {
      const { unknown_because: why } = alert;
      const because = why === null ? "" : ` (${why})`;
      parts.push(`unknown since ${unknown}${because}: stands still, not resolved`);
    }
    if (suppressed) parts.push(`held back (${suppressed.reason}): ${suppressed.detail}`);
    if (inhibitors.length > 0) parts.push(`muted by ${inhibitors.join(", ")}`);
    if (until !== null) parts.push(`silenced by ${silences.join(", ")} until ${until}`);
  }
  return parts.length === 0 ? "nothing" : parts.join("; ");
}
