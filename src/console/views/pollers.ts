import { html, type Markup } from "../element.ts";
import type { Pollers as Answer, Poller } from "../data/answers.ts";
import { useAnswer, type Path } from "../data/use-answer.ts";
import { DurationLine } from "../parts/duration-line.ts";
import { FactValue } from "../parts/facts.ts";
import { Heartbeat } from "../parts/heartbeat.ts";
import { Badge } from "../parts/small.ts";
import { counted } from "../text/words.ts";

/** How each poller reads: its state, a bar for each of its last polls, and how long they took. */
export function Pollers({ aggregator }: { readonly aggregator: string }): Markup {
  const path: Path<Answer> = `api/v1/pollers?${new URLSearchParams({ aggregator, span: "1h", bucket: "1m" })}`;
  const answer = useAnswer(path);
  if (answer === undefined) return html`<p class="quiet">Loading …</p>`;
  if (!answer.ok) return html`<p class="quiet">Not known: ${answer.problem}</p>`;
  return html`<div class="pollers">
    ${answer.value.pollers.map(
      (poller) => html`<${PollerRow} key=${poller.entity.id} poller=${poller} />`,
    )}
  </div>`;
}

function PollerRow({ poller }: { readonly poller: Poller }): Markup {
  const { id, facts } = poller.entity;
  const { error, last_success: read, surfaces, failing_surfaces: failing = 0 } = facts;
  const details = [
    ...(surfaces === undefined ? [] : [counted(Number(surfaces), "surface")]),
    ...(Number(failing) > 0 ? [`${failing} of them failing`] : []),
  ];
  return html`<div class="poller card">
    <div>
      <b>${id}</b> <${Badge} ...${stateOf(facts)} />
      <small
        >read
        ${read === undefined ? "never" : html`<${FactValue} value=${read} />`}${
          details.length > 0 && html`, ${details.join(", ")}`
        }</small
      >
    </div>
    <${Heartbeat} poller=${poller} />
    <${DurationLine} label=${id} polls=${poller.recent} />
    ${error !== undefined && html`<small class="why">${error}</small>`}
  </div>`;
}

export function stateOf(facts: Poller["entity"]["facts"]): { word: string; tone: string } {
  if (facts["up"] === undefined) return { word: "not yet", tone: "unknown" };
  if (facts["stale"] === true) return { word: "stale", tone: "firing" };
  return facts["up"] === true ? { word: "up", tone: "verified" } : { word: "down", tone: "firing" };
}
