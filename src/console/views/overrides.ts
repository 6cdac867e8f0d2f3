import { html, type Markup } from "../element.ts";
import type { OverviewJson } from "../data/answers.ts";
import { OperateButton } from "../operate/buttons.ts";
import { endOverride } from "../operate/operations.ts";
import { Ago, Section } from "../parts/small.ts";
import { Table } from "../parts/table.ts";

/** Holds and silences: who leaves what alone, why, and until when. */
export function Overrides({ status }: { readonly status: OverviewJson }): Markup | undefined {
  const all = [
    ...status.holds.map((one) => ["hold" as const, one] as const),
    ...status.silences.map((one) => ["silence" as const, one] as const),
  ];
  if (all.length === 0) return undefined;
  return html`<${Section} title="Holds and silences" count=${all.length}>
    <${Table}
      heads=${["What", "Covers", "Owner", "Reason", "Ends", ""]}
      rows=${all.map(([what, { id, scope, owner, reason, until }]) => [
        `${what} ${id}`,
        scopeText(scope),
        owner,
        reason,
        html`<${Ago} at=${until} />`,
        html`<${OperateButton} operation=${() => endOverride(what, id)}>End it<//>`,
      ])}
    />
    <p class="quiet">
      A hold stops actions, not alerts. A silence stops notifications, not actions.
    </p>
  <//>`;
}

function scopeText(scope: Readonly<Record<string, string | undefined>>): string {
  const said = Object.entries(scope).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${value}`],
  );
  return said.length === 0 ? "everything" : said.join(", ");
}
