import { html, type Markup } from "../element.ts";
import type { ReloadJson } from "../../io/api/answers.ts";
import { counted } from "../text/words.ts";

/** What a reload would change: settings, rules, alerts and actions, before anyone asks for it. */
export function ReloadPreview({ answer }: { readonly answer: ReloadJson }): Markup {
  const { settings, rules, alerts, actions, entities_ended: ended } = answer;
  const changes = [
    ...settings.map(({ key, before, after }) => `${key}: ${before} → ${after}`),
    ...named("added", rules.added),
    ...named("removed", rules.removed),
    ...named("changed", rules.changed),
    ...alerts.first.map(
      ({ alertname, entity, change }) => `alert ${alertname} on ${entity}: ${change}`,
    ),
    ...more(alerts.total - alerts.first.length, "alert"),
    ...actions.first.map(({ action, entity, outcome, reason }) =>
      [`${action} on ${entity}: ${outcome}`, ...(reason === null ? [] : [`(${reason})`])].join(" "),
    ),
    ...more(actions.total - actions.first.length, "action"),
    ...(ended > 0 ? [`${counted(ended, "entity", "entities")} would end`] : []),
  ];
  if (changes.length === 0) return html`<p><b>It would change nothing.</b></p>`;
  return html`<p><b>It would change:</b></p>
    <ul>
      ${changes.map((change) => html`<li>${change}</li>`)}
    </ul>`;
}

function named(how: string, rules: readonly string[]): string[] {
  return rules.map((rule) => `rule ${rule}: ${how}`);
}

function more(count: number, what: string): string[] {
  return count > 0 ? [`and ${counted(count, `${what} more`, `${what}s more`)}`] : [];
}
