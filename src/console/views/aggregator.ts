import { html, type Markup } from "../element.ts";
import { linkTo } from "../data/store.ts";
import type { Aggregator, Kind } from "../data/answers.ts";
import { ShareBar, type Share } from "../parts/bars.ts";
import { Section } from "../parts/small.ts";
import { grouped } from "../text/words.ts";
import { Pollers } from "./pollers.ts";

/** One aggregator: how it is read, and what is seen of it, kind by kind. */
export function AggregatorSection({ aggregator }: { readonly aggregator: Aggregator }): Markup {
  const { name, kinds } = aggregator;
  return html`<${Section} title=${`Aggregator ${name}`}>
    <${Pollers} aggregator=${name} />
    <div class="kinds">
      ${kinds.map((kind) => html`<${KindCard} key=${kind.kind} aggregator=${name} kind=${kind} />`)}
    </div>
  <//>`;
}

function KindCard({ aggregator, kind }: { aggregator: string; kind: Kind }): Markup {
  const { kind: name, total, ok, bad, unknown, statuses } = kind;
  const shares: Share[] = [
    { word: "with alerts", count: bad, tone: "bad" },
    { word: "unknown", count: unknown, tone: "unknown" },
    { word: "ok", count: ok, tone: "well" },
  ];
  const others = Object.entries(statuses).map(([word, count]) => `${word} ${grouped(count)}`);
  return html`<a class="card kind" href=${linkTo(["entities"], { aggregator, kind: name })}>
    <b>${name}</b> <span class="number">${grouped(total)}</span>
    <${ShareBar} shares=${shares} label=${name} />
    <small>
      ${bad > 0 && html`<strong class="bad">${grouped(bad)} with alerts</strong> `}
      ${unknown > 0 && html`<b>${grouped(unknown)} unknown</b> `}
      <span class="quiet">${others.join(" · ")}</span>
    </small>
  </a>`;
}
