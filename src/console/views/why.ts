import { html, type Markup } from "../element.ts";
import type { ExplainJson } from "../data/answers.ts";
import { FactValue } from "../parts/facts.ts";
import { Sentence } from "../parts/sentence.ts";
import { Ago, Badge } from "../parts/small.ts";
import { Table } from "../parts/table.ts";

type Explained = ExplainJson["explanation"];

/** Why an alert is in its state, and why something was or was not done: as `aggwatch explain` says it. */
export function Why(properties: {
  readonly explanation: Explained;
  readonly sentences: readonly string[];
}): Markup {
  const { explanation, sentences } = properties;
  const { condition, action, remediations } = explanation;
  return html`<ul class="told">
      ${sentences.filter((text) => !GUARD.test(text)).map((text) => html`<li><${Sentence} text=${text} /></li>`)}
    </ul>
    ${condition !== null && html`<${Condition} condition=${condition} />`}
    ${action !== null && action.guards.length > 0 && html`<${Guards} action=${action} />`}
    ${remediations.length > 0 && html`<${Attempts} remediations=${remediations} />`}`;
}

/** What each guard says is a table here. */
const GUARD = /^\s*[✓✗] /u;

function Condition({ condition }: { condition: NonNullable<Explained["condition"]> }): Markup {
  const { source, truth, reason, facts, poller, read_at: readAt, doubt } = condition;
  return html`<h3>Condition</h3>
    <p>
      <${Badge} word=${truth} /> <code>${source}</code>
      <span class="quiet"
        ><${Sentence} text=${reason} />${poller !== null && html` read by ${poller}`}${
          readAt !== null && html` <${Ago} at=${readAt} />`
        }${doubt !== null && html`; doubted: ${doubt}`}</span
      >
    </p>
    <p>
      ${facts.map(
        ({ name, value }) =>
          html`<span class="fact"
            ><i>${name}</i> <${FactValue} value=${value ?? "not known"}
          /></span> `,
      )}
    </p>`;
}

function Guards({ action }: { action: NonNullable<Explained["action"]> }): Markup {
  const { name, mode, guards } = action;
  const objecting = guards.filter(({ objects }) => objects).length;
  const who = `${objecting === 0 ? "none" : objecting} of ${guards.length} ${objecting > 1 ? "hold" : "holds"}`;
  return html`<h3>Guards of ${name}, ${mode}: ${who} it back</h3>
    <${Table}
      heads=${["Guard", "Says", "With which numbers"]}
      rows=${guards.map(({ guard, objects, detail }) => [
        guard,
        objects
          ? html`<${Badge} word="holds it back" tone="firing" />`
          : html`<${Badge} word="lets it pass" tone="ok" />`,
        html`<${Sentence} text=${detail} />`,
      ])}
    />`;
}

function Attempts({ remediations }: { remediations: Explained["remediations"] }): Markup {
  return html`<h3>What was done</h3>
    <${Table}
      heads=${["Outcome", "Action", "Requested", "Settled", "Approved by", "Detail"]}
      rows=${remediations.map((one) => [
        html`<${Badge} word=${one.state} />`,
        one.action,
        html`<${Ago} at=${one.requested_at} />`,
        one.settled_at === null ? "not yet" : html`<${Ago} at=${one.settled_at} />`,
        one.approved_by ?? "",
        html`<${Sentence} text=${one.detail} />`,
      ])}
    />`;
}
