import { TIMELINE_TYPES } from "../../../domain/shown/timeline-types.ts";
import { html, type Markup } from "../../element.ts";
import type { HappenedRow } from "../../data/answers.ts";
import { linkTo, now, view, zone } from "../../data/store.ts";
import { Choice, FilterBar } from "../../parts/filters.ts";
import { isNarrow, LongList, type Column } from "../../parts/long-list.ts";
import { Banner, Clock, Quiet } from "../../parts/small.ts";
import { clockText, lengthText } from "../../text/time.ts";
import { postMortem } from "../../text/post-mortem.ts";
import { subjectOf, textOf, timelineOf, type Timeline } from "../../text/timeline.ts";
import { counted } from "../../text/words.ts";
import { isIn, spanOf, within, zoomed, type Span } from "../../text/span.ts";
import { Tracks } from "./tracks.ts";
import { keyOf, MOST_PAGES, useFindings, type Findings } from "./use-findings.ts";
import { limitsOf, useSpan } from "./use-span.ts";

/** What happened: lifetimes of alerts with what was done on them, and the list beside it. */
export function TimelineView(): Markup {
  const [span, choose] = useSpan();
  // What is asked for follows the address, and so not every movement of a hand.
  const findings = useFindings(spanOf(view.value.filters, now.value));
  const { last, problem } = findings;
  const shown = last && shownOf(findings, last, span);
  const setSpan = (to: Span): void => shown && choose(to, shown.limits);
  // The filters stay, whatever is answered: the user may be typing, or has to mend what was refused.
  return html`<${FilterBar}
      label="Timeline"
      said=${shown === undefined ? "" : counted(shown.seen.length, "finding")}
    >
      <${Choice} name="types" label="What" choices=${TIMELINE_TYPES} />
      ${
        shown !== undefined &&
        html`<${Zoom} limits=${shown.limits} span=${shown.span} onSpan=${setSpan} />
          <${Exports} shown=${shown} />`
      }
    <//>
    ${problem !== undefined && html`<p class="banner">${problem}</p>`}
    ${last === undefined && problem === undefined && html`<${Quiet}>Loading …<//>`}
    ${
      shown !== undefined &&
      html`<${Happened} findings=${findings} shown=${shown} onSpan=${setSpan} />`
    }`;
}

type Shown = {
  readonly timeline: Timeline;
  readonly limits: Span;
  readonly span: Span;
  /** What was found in the span. */
  readonly seen: readonly HappenedRow[];
  readonly isCut: boolean;
};

function shownOf(
  { rows: found, named, active, lasting }: Findings,
  last: NonNullable<Findings["last"]>,
  wanted: Span | undefined,
): Shown {
  const lives = timelineOf(named, now.value, active, lasting);
  // Of lifetimes more may be known than is listed.
  const oldest = found.at(-1);
  const from = oldest === undefined ? lives.until : Date.parse(oldest.at);
  const timeline = { ...lives, from };
  const kept = last.kept_since === null ? from : Date.parse(last.kept_since);
  const limits = limitsOf({ from: kept, until: timeline.until }, LENGTHS[2]);
  const span = wanted === undefined ? timeline : within(wanted, limits);
  const seen = found.filter(({ at }) => isIn(Date.parse(at), span));
  return { timeline, limits, span, seen, isCut: last.next !== null };
}

function Happened(properties: {
  readonly findings: Findings;
  readonly shown: Shown;
  readonly onSpan: (span: Span) => void;
}): Markup {
  const { findings, shown, onSpan } = properties;
  const { timeline, limits, span, seen, isCut } = shown;
  return html`${isCut && html`<${LeftOut} since=${timeline.from} findings=${findings} />`}
    ${
      findings.lastingSince !== undefined &&
      html`<${Banner} tone="warning">
        Too much was found of pollers: one that has failed since before${" "}
        <${Clock} at=${findings.lastingSince} /> is not shown.
      <//>`
    }
    <${Tracks} timeline=${timeline} span=${span} limits=${limits} onSpan=${onSpan} />
    <${LongList}
      label="Findings"
      columns=${COLUMNS}
      rows=${seen}
      total=${seen.length}
      more=${() => undefined}
      none="Nothing was found."
      keyOf=${keyOf}
      cellsOf=${cellsOf}
    />`;
}

const COLUMNS: readonly Column[] = [
  { head: "When", width: "14rem" },
  { head: "What", width: "8rem" },
  { head: "Of", width: "minmax(10rem, 2fr)" },
  { head: "Said", width: "minmax(10rem, 2fr)" },
];

function cellsOf(finding: HappenedRow): readonly unknown[] {
  const said = textOf({ ...finding, type: "", subject: "" });
  const { at, type } = finding;
  const subject = html`<${Subject} finding=${finding} />`;
  // On a narrow screen the fourth cell has a line of its own.
  const rest = isNarrow() ? [said, subject] : [subject, said];
  return [html`<${Clock} at=${at} />`, type, ...rest];
}

function LeftOut({ since, findings }: { since: number; findings: Findings }): Markup {
  const { count, more } = findings;
  const isMost = count >= MOST_PAGES;
  const older = html`<button type="button" onClick=${more}>Older ones</button>`;
  return html`<${Banner} tone="warning" aside=${!isMost && older}>
    More was found than is shown: findings before <${Clock} at=${since} /> are left out.
    ${isMost && " To see them, move there and zoom in."}
  <//>`;
}

/** As a link to the page of the alert, or of the entity, that it is about. */
function Subject({ finding }: { readonly finding: HappenedRow }): Markup {
  const { alertname, entity } = finding;
  const said = subjectOf(finding);
  const [aggregator, kind, ...id] = entity?.split("/") ?? [];
  if (aggregator === undefined || kind === undefined) return html`<span>${said}</span>`;
  const own = [aggregator, kind, id.join("/")];
  const path = alertname === null ? ["entity", ...own] : ["alert", alertname, ...own];
  return html`<a href=${linkTo(path)} title=${said}>${said}</a>`;
}

const LENGTHS = [5 * 60_000, 60 * 60_000, 24 * 60 * 60_000] as const;
const FACTOR = 2;

function Zoom(properties: {
  readonly limits: Span;
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
}): Markup {
  const { limits, span, onSpan } = properties;
  const zoom = (factor: number) => (): void => onSpan(zoomed(span, factor, limits));
  const button = (label: string, name: string, press: () => void): Markup =>
    html`<button type="button" aria-label=${name} title=${name} onClick=${press}>${label}</button>`;
  return html`<span class="buttons">
    ${button("−", "Zoom out", zoom(FACTOR))} ${button("+", "Zoom in", zoom(1 / FACTOR))}
    ${LENGTHS.map((length) =>
      button(lengthText(length), `The last ${lengthText(length)}`, () =>
        onSpan({ from: limits.until - length, until: limits.until }),
      ),
    )}
    ${button("All", "All that the journal keeps", () => onSpan(limits))}
  </span>`;
}

/** What is shown, as files that the browser makes. */
function Exports({ shown: { timeline, seen, span } }: { readonly shown: Shown }): Markup {
  const name = `aggwatch-${clockText(span.from, "UTC").replaceAll(/[: ]/g, "-")}`;
  // Made when it is asked for, as all of this is drawn each second, and there may be 10 000 findings.
  const save = (type: string, file: string, textOfAll: () => string) => (): void => {
    const url = URL.createObjectURL(new Blob([textOfAll()], { type }));
    const link = Object.assign(document.createElement("a"), { href: url, download: file });
    link.click();
    URL.revokeObjectURL(url);
  };
  const json = (): string => JSON.stringify(seen, undefined, 2);
  const draft = (): string => postMortem(timeline.tracks, seen, span);
  return html`<span class="buttons" title=${clockText(span.from, zone.value)}>
    <button type="button" onClick=${save("application/json", `${name}.json`, json)}>JSON</button>
    <button type="button" onClick=${save("text/markdown", `${name}.md`, draft)}>
      Post-mortem draft
    </button>
  </span>`;
}
