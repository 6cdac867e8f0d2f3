import { html, type Markup } from "../element.ts";
import type { OverviewJson } from "../data/answers.ts";
import { notKept, overview } from "../data/store.ts";
import { Section } from "../parts/small.ts";
import { AlertGroups } from "./alert-groups.ts";
import { AggregatorSection } from "./aggregator.ts";
import { Banners } from "./banners.ts";
import { Channels } from "./channels.ts";
import { Overrides } from "./overrides.ts";
import { Proposals } from "./proposals.ts";
import { Remediations } from "./remediations.ts";

/** What a person needs at 3 a.m.: what waits for a decision first, then what is wrong, the worst first. */
export function OverviewView(): Markup {
  const status = overview.value;
  if (status === undefined)
    return html`<p class="quiet">${notKept.value === undefined && "Loading …"}</p>`;
  return html`<${Verdict} status=${status} />
    <${Banners} status=${status} />
    ${!status.not_kept.includes("proposals") && html`<${Proposals} status=${status} />`}
    <${Section} title="Alerts" count=${openOf(status)}>
      <${AlertGroups} groups=${status.alert_groups} />
    <//>
    ${status.aggregators.map(
      (own) => html`<${AggregatorSection} key=${own.name} aggregator=${own} />`,
    )}
    <${Overrides} status=${status} />
    <${Remediations} remediations=${status.remediations} />
    ${!status.not_kept.includes("channels") && html`<${Channels} channels=${status.channels} />`}`;
}

function openOf({ alert_groups: groups }: OverviewJson): number {
  return groups.reduce((sum, { firing, pending }) => sum + firing + pending, 0);
}

/** The summary: if something is wrong, if aggwatch can read, and if it may act. */
function Verdict({ status }: { readonly status: OverviewJson }): Markup {
  const { tone, headline, lines } = status.verdict;
  return html`<div class=${`verdict ${tone}`}>
    <strong>${headline}</strong>
    ${lines.map((line) => html`<span>${line}</span>`)}
  </div>`;
}
