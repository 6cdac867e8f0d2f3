import { html, type Markup } from "../element.ts";
import type { EntityHistoryJson } from "../data/answers.ts";
import { minutes, view, zone } from "../data/store.ts";
import { useAnswer } from "../data/use-answer.ts";
import { filtered } from "../address.ts";
import { Badge, Clock, Quiet, Section } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { chartOf, HEIGHT, numberText, WIDTH, type Chart } from "../text/chart.ts";
import { clockText, lengthText, MINUTE } from "../text/time.ts";
import { counted } from "../text/words.ts";
import { Fold } from "./alert-groups.ts";

type Band = EntityHistoryJson["bands"][number];
type Fact = EntityHistoryJson["facts"][number];

const SPANS = ["1h", "6h", "1d"];
const USUAL = "6h";
/** Changes that are listed; the band shows all. */
const LISTED = 50;

/** How an entity was over the last hours, from the record: its condition as a band, and its numbers as charts. */
export function EntityHistoryView({
  path,
  firstSeen,
}: {
  readonly path: string;
  readonly firstSeen: string;
}): Markup {
  const { span = USUAL } = view.value.filters;
  // What is shown ends at the last whole minute.
  const isNew = Date.parse(firstSeen) >= minutes.value * MINUTE;
  return html`<${Section} title="Over time" aside=${html`<${Spans} current=${span} />`}>
    ${
      isNew
        ? html`<${Quiet}>It was first seen less than a minute ago.<//>`
        : html`<${Asked} path=${path} span=${span} />`
    }
  <//>`;
}

function Asked({ path, span }: { readonly path: string; readonly span: string }): Markup {
  const asked = `${path}/history?${new URLSearchParams({ span })}`;
  const answer = useAnswer<EntityHistoryJson>(asked, minutes.value);
  if (answer === undefined) return html`<${Quiet}>Reading the record …<//>`;
  return answer.ok
    ? html`<${Shown} history=${answer.value} />`
    : html`<${Quiet}>${answer.problem}<//>`;
}

function Spans({ current }: { readonly current: string }): Markup {
  return html`<span class="buttons">
    ${SPANS.map(
      (span) =>
        html`<a
          href=${filtered(view.value, { span: span === USUAL ? "" : span })}
          aria-current=${span === current ? "true" : undefined}
          >${span}</a
        >`,
    )}
  </span>`;
}

function Shown({ history }: { readonly history: EntityHistoryJson }): Markup {
  const { bands, facts, bucket_ms: bucketMs } = history;
  const span = { from: Date.parse(history.from), until: Date.parse(history.until) };
  const charts = facts.map((fact) => ({ fact, chart: chartOf(fact, bucketMs, span) }));
  const steady = charts.filter(({ chart }) => chart !== undefined && chart.min === chart.max);
  return html`<div class="card history">
    <${StatusBand} bands=${bands} span=${span} />
    ${charts.map(
      ({ fact, chart }) =>
        chart !== undefined &&
        chart.min !== chart.max &&
        html`<${NumberChart} key=${fact.name} fact=${fact} chart=${chart} />`,
    )}
    ${
      steady.length > 0 &&
      html`<p class="quiet">
        Unchanged:
        ${steady
          .map(({ fact, chart }) => `${fact.name} ${numberText(chart?.last ?? 0)}`)
          .join(", ")}.
      </p>`
    }
    <p class="axis quiet"><${Clock} at=${span.from} /><${Clock} at=${span.until} /></p>
    ${
      history.recorded_since !== null &&
      html`<p class="quiet">What was before that is not in the record.</p>`
    }
    <${Fold} summary=${html`<span>${counted(bands.length, "stretch", "stretches")}</span>`}
      >${() => html`<div><${BandTable} bands=${bands.toReversed()} /></div>`}<//
    >
  </div>`;
}

/** By the height, too: colour alone says nothing. */
const HEIGHTS = { bad: 20, ok: 14, unknown: 8, absent: 3, not_recorded: 0 } as const;
const TONES = { bad: "bad", ok: "well", unknown: "unknown", absent: "unknown", not_recorded: "" };

/** Pressing a stretch shows the instant at which it began. */
function StatusBand(properties: {
  readonly bands: readonly Band[];
  readonly span: { readonly from: number; readonly until: number };
}): Markup {
  const { bands, span } = properties;
  const xOf = (at: string): number =>
    ((Date.parse(at) - span.from) / Math.max(1, span.until - span.from)) * WIDTH;
  const lasted = (condition: Band["condition"]): number =>
    bands
      .filter((band) => band.condition === condition)
      .reduce((sum, { from, until }) => sum + Date.parse(until) - Date.parse(from), 0);
  const shares = (["bad", "unknown", "absent", "not_recorded", "ok"] as const)
    .map((condition) => ({ condition, length: lasted(condition) }))
    .filter(({ length }) => length > 0);
  const says = shares
    .map(({ condition, length }) => `${wordOf(condition)} for ${lengthText(length)}`)
    .join(", ");
  return html`<p class="says">${says}</p>
    <svg
      class="band"
      role="img"
      aria-label=${`its condition over time: ${says}`}
      viewBox=${`0 0 ${WIDTH} 22`}
      preserveAspectRatio="none"
    >
      ${bands.map((band) => {
        const height = HEIGHTS[band.condition];
        return html`<rect
          class=${TONES[band.condition]}
          x=${xOf(band.from)}
          y=${21 - height}
          width=${Math.max(1, xOf(band.until) - xOf(band.from))}
          height=${height}
        >
          <title>${bandText(band)}</title>
        </rect>`;
      })}
    </svg>`;
}

function wordOf(condition: Band["condition"]): string {
  return condition.replace("_", " ");
}

function bandText({ from, until, condition, status }: Band): string {
  const [begin, end] = [Date.parse(from), Date.parse(until)];
  const what = status === null ? wordOf(condition) : `${wordOf(condition)}, ${status}`;
  return `${what}: from ${clockText(begin, zone.value)}, for ${lengthText(end - begin)}`;
}

function BandTable({ bands }: { readonly bands: readonly Band[] }): Markup {
  return html`<${Table}
    heads=${["From", "For", "Condition", "Status"]}
    all=${bands.length}
    rows=${bands
      .slice(0, LISTED)
      .map(({ from, until, condition, status }) => [
        html`<a href=${filtered(view.value, { at: from })}><${Clock} at=${from} /></a>`,
        lengthText(Date.parse(until) - Date.parse(from)),
        html`<${Badge} word=${wordOf(condition)} tone=${condition} />`,
        status ?? "",
      ])}
  />`;
}

function NumberChart({ fact, chart }: { readonly fact: Fact; readonly chart: Chart }): Markup {
  const { min, max, last, stretches } = chart;
  const says = `${numberText(last)}; from ${numberText(min)} to ${numberText(max)}`;
  return html`<figure class="chart">
    <figcaption title=${fact.means ?? ""}><b>${fact.name}</b> ${says}</figcaption>
    <svg
      role="img"
      aria-label=${`${fact.name} over time: ${says}`}
      viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      ${stretches.map(
        ({ line, area }) => html`<polygon points=${area} /><polyline points=${line} />`,
      )}
    </svg>
  </figure>`;
}
