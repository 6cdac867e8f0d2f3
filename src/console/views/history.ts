import { html, type Markup } from "../element.ts";
import type { AlertJson, Finding } from "../data/answers.ts";
import { Ago, Badge, Clock, Quiet, Section, Since } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { textOf } from "../text/timeline.ts";

const SHOWN = 50;

/** What was found about an alert, or about all alerts of an entity, each by its rule; the newest first. */
export function History({
  history,
  ofEntity = false,
}: {
  readonly history: readonly Finding[];
  readonly ofEntity?: boolean;
}): Markup {
  return html`<${Section} title="What happened" count=${history.length}>
    ${history.length === 0 && html`<${Quiet}>Nothing is in the journal.<//>`}
    ${
      history.length > 0 &&
      html`<div class="happened">
        <${Table}
          heads=${["When", "What"]}
          all=${history.length}
          rows=${history
            .slice(0, SHOWN)
            .map((finding) => [
              html`<${Clock} at=${finding.at} /> <small><${Ago} at=${finding.at} /></small>`,
              textOf({ ...finding, subject: ofEntity ? ruleOf(finding) : "" }),
            ])}
        />
      </div>`
    }
  <//>`;
}

function ruleOf({ subject }: Finding): string {
  return subject.split("|", 1)[0] ?? "";
}

/** How often it was so, and for how long each time. */
export function Lifetimes({ lifetimes }: Pick<AlertJson, "lifetimes">): Markup | undefined {
  if (lifetimes.length === 0) return undefined;
  return html`<${Section} title="Each time" count=${lifetimes.length}>
    <${Table}
      heads=${["Bad since", "Fired", "Ended", "How"]}
      all=${lifetimes.length}
      rows=${lifetimes
        .slice(0, SHOWN)
        .map(({ started_at: started, fired_at: fired, ended_at: ended, end }) => [
          html`<${Clock} at=${started} />`,
          fired === null ? "not" : html`<${Clock} at=${fired} />`,
          ended === null
            ? html`lasts for <${Since} at=${started} />`
            : html`<${Clock} at=${ended} />`,
          end ?? "",
        ])}
    />
  <//>`;
}

/** To which channels it was delivered, and what waits. */
export function Told({ told }: Pick<AlertJson, "told">): Markup | undefined {
  // Of the past it is not kept.
  if (told === null) return undefined;
  return html`<${Section} title="Notified" count=${told.length}>
    ${
      told.length === 0 &&
      html`<${Quiet}>No channel knows it as firing, and nothing about it waits.<//>`
    }
    ${
      told.length > 0 &&
      html`<${Table}
        heads=${["Channel", "Last sent", "When", "Waits"]}
        rows=${told.map((one) => [
          one.channel,
          one.told_state === null ? "nothing yet" : html`<${Badge} word=${one.told_state} />`,
          one.told_at === null ? "" : html`<${Ago} at=${one.told_at} />`,
          one.waiting_since === null ? "" : html`for <${Since} at=${one.waiting_since} />`,
        ])}
      />`
    }
  <//>`;
}
