import { html, type Markup } from "../element.ts";
import type { TrialJson } from "../data/answers.ts";
import { FactValue } from "../parts/facts.ts";
import { Badge, EntityCell } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { grouped } from "../text/words.ts";
import { Fold } from "./alert-groups.ts";

type Row = TrialJson["rules"][number]["bad"][number];

/** Entities of which a tried rule says the same, with what it read, and what the guards would say. */
export function Tried(properties: {
  readonly truth: "bad" | "unknown" | "ok";
  readonly all: number;
  readonly tried: readonly Row[];
}): Markup | undefined {
  const { truth, all, tried } = properties;
  if (all === 0) return undefined;
  const more = all - tried.length;
  const hasReason = tried.some(({ reason }) => reason !== null);
  const hasGuards = tried.some(({ guards }) => guards.length > 0);
  const isShown = [true, true, hasReason, hasGuards];
  const shown = <Cell>(cells: readonly Cell[]): Cell[] => cells.filter((_, at) => isShown[at]);
  return html`<${Fold}
    isOpen=${truth === "bad"}
    summary=${html`<${Badge} word=${truth} />
      <b>${grouped(all)}</b>
      ${more > 0 && html`<span class="quiet">the first ${grouped(tried.length)} are shown</span>`}`}
    >${() =>
      html`<div>
        <${Table}
          heads=${shown(["Entity", "What it read", "Why", "Guards that would object"])}
          rows=${tried.map((row) => shown(cellsOf(row)))}
        />
      </div>`}<//
  >`;
}

function cellsOf({ entity, alias, facts, reason, guards }: Row) {
  const objecting = guards.filter(({ objects }) => objects);
  return [
    html`<${EntityCell} entity=${entity} alias=${alias} />`,
    facts.map(
      ({ name, value }) =>
        html`<span class="fact"
          ><i>${name}</i> <${FactValue} value=${value ?? "not known"}
        /></span>`,
    ),
    reason ?? "",
    objecting.length === 0
      ? "none"
      : objecting.map(({ guard, detail }) => html`<div><b>${guard}</b>: ${detail}</div>`),
  ];
}
