import { html } from "hono/html";
import type { Markup } from "../page/parts.ts";
import type { Bar, Chart, Track, Timeline } from "./report.ts";

/** Drawings in SVG without scripts, so that a file opened from a disk shows them. */

const WIDTH = 1_000;
const LABELS = 240;
const TRACK = 22;
/** Longer names end in an ellipsis; the title has the whole name. */
const LONGEST_NAME = 34;
const TICKS = 5;
const MARK = 4;

export function drawTimeline({ title, from, until, label, tracks }: Timeline): Markup {
  const room = WIDTH - LABELS - 10;
  const x = (at: number): number =>
    LABELS + (room * (Math.min(Math.max(at, from), until) - from)) / Math.max(1, until - from);
  const height = tracks.length * TRACK + 30;
  const ticks = Array.from(
    { length: TICKS },
    (_, index) => from + ((until - from) * index) / TICKS,
  );
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
    ${ticks.map(
      (at) =>
        html`<line
            class="grid"
            x1="${round(x(at))}"
            x2="${round(x(at))}"
            y1="0"
            y2="${height - 20}"
          />
          <text class="tick" x="${round(x(at))}" y="${height - 5}">${label(at)}</text>`,
    )}
    ${tracks.map((track, index) => drawTrack(track, index * TRACK, x))}
  </svg>`;
}

function drawTrack({ name, spans }: Track, top: number, x: (at: number) => number): Markup {
  return html`<text x="0" y="${top + 15}">${shortened(name)}<title>${name}</title></text>
    ${spans.map(({ from, until, tone, text }) => {
      const left = x(from);
      const width = until === undefined ? MARK : Math.max(2, x(until) - left);
      return html`<rect
        class="${tone}"
        x="${round(left)}"
        y="${top + 3}"
        width="${round(width)}"
        height="${TRACK - 6}"
        ><title>${text}</title></rect
      >`;
    })}`;
}

export function drawChart({ title, bars }: Chart): Markup {
  const most = Math.max(1, ...bars.map(total));
  const room = WIDTH - LABELS - 80;
  return html`<svg viewBox="0 0 ${WIDTH} ${bars.length * TRACK}" role="img" aria-label="${title}">
    ${bars.map((bar, index) => {
      const top = index * TRACK;
      let left = LABELS;
      return html`<text x="0" y="${top + 15}"
          >${shortened(bar.name)}<title>${bar.name}</title></text
        >
        ${bar.parts.map(({ count, tone, what }) => {
          const width = (room * count) / most;
          const from = left;
          left += width;
          return html`<rect
            class="${tone}"
            x="${round(from)}"
            y="${top + 3}"
            width="${round(width)}"
            height="${TRACK - 6}"
            ><title>${count} ${what}</title></rect
          >`;
        })}
        <text x="${round(left + 8)}" y="${top + 15}">${total(bar)}</text>`;
    })}
  </svg>`;
}

/** The meanings of a chart's colours, if it has more than one. */
export function legendOf({ bars }: Chart): Markup | string {
  const tones = new Map(
    bars.flatMap(({ parts }) =>
      parts.flatMap(({ tone, what, count }) => (count > 0 ? [[tone, what] as const] : [])),
    ),
  );
  if (tones.size < 2) return "";
  return html`<p class="legend">
    ${[...tones].map(([tone, what]) => html`<svg viewBox="0 0 10 10"><rect class="${tone}" width="10" height="10" /></svg> ${what} `)}
  </p>`;
}

function total({ parts }: Bar): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function shortened(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
}
