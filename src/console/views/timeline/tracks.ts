import { useEffect, useState } from "preact/hooks";
import { html, type Markup } from "../../element.ts";
import { view, zone } from "../../data/store.ts";
import { Quiet } from "../../parts/small.ts";
import { clockText, lengthText } from "../../text/time.ts";
import { isIn, touches, type Span } from "../../text/span.ts";
import {
  worstFirst,
  type Life,
  type Mark,
  type Timeline,
  type Track,
} from "../../text/timeline.ts";
import { counted, grouped, shortened } from "../../text/words.ts";
import { useMoving } from "./use-span.ts";

const ROW = 14;
const FIRST_TRACKS = 20;
const MORE_TRACKS = 100;
/** In units of the drawing: how wide it is, how much of that names take, and how many letters those are. */
const WIDE = { width: 1_000, names: 330, letters: 52 };
const MIDDLE = { width: 620, names: 210, letters: 33 };
const NARROW = { width: 380, names: 130, letters: 20 };

/**
 * Lifetimes of alerts, and when pollers failed, as bars, the worst first; marks on them, and what is of the whole above
 * all. Dragging, the wheel, two fingers, keys and buttons move and zoom it.
 */
export function Tracks(properties: {
  readonly timeline: Timeline;
  readonly span: Span;
  readonly limits: Span;
  readonly onSpan: (span: Span) => void;
}): Markup {
  const { timeline, span, limits, onSpan } = properties;
  const [most, setMost] = useState(FIRST_TRACKS);
  const length = Math.max(1, span.until - span.from);
  const { width, names, letters } = useSize();
  const xOf = (at: number): number =>
    names +
    ((Math.min(span.until, Math.max(span.from, at)) - span.from) / length) * (width - names);
  const shown = timeline.tracks
    .map((track) => partOf(track, span))
    .filter(({ lives, marks }) => lives.length + marks.length > 0);
  const tracks = worstFirst(shown, span.until).slice(0, most);
  const height = (tracks.length + 2) * ROW;
  const label = `${counted(shown.length, "alert or poller", "alerts and pollers")} from ${clockText(span.from, zone.value)}, ${lengthText(length)} long`;
  const moving = useMoving({ span, limits, names: names / width, onSpan });
  return html`<div class="card tracks">
    <div
      role="group"
      tabindex="0"
      aria-label="Lifetimes: arrows and page keys move, plus and minus zoom"
      ...${moving}
    >
      <svg role="img" aria-label=${label} viewBox=${`0 0 ${width} ${height}`}>
        ${timeline.marks
          .filter(({ at }) => isIn(at, span))
          .map(
            (mark) => html`<${WholeMark} x=${xOf(mark.at)} height=${height - ROW} mark=${mark} />`,
          )}
        ${tracks.map(
          (track, index) =>
            html`<${TrackRow}
              key=${track.name}
              track=${track}
              y=${(index + 1) * ROW}
              names=${names}
              letters=${letters}
              xOf=${xOf}
            />`,
        )}
        <text x=${names} y=${height - 2}>${endText(span.from, width)}</text>
        <text x=${width} y=${height - 2} text-anchor="end">${endText(span.until, width)}</text>
      </svg>
    </div>
    ${shown.length === 0 && html`<${Quiet}>${noneText(view.value.filters)}<//>`}
    <${MoreTracks}
      hidden=${shown.length - tracks.length}
      onMore=${(more: number) => setMost(most + more)}
    />
  </div>`;
}

/** A text is searched for in all that is listed, but of the lifetimes only in the names. */
function noneText({ text = "" }: Readonly<Record<string, string>>): string {
  return text === ""
    ? "There is no alert or failed poller to draw."
    : "No alert or poller to draw has these words in its name.";
}

/** As many letters as can be read. */
function useSize(): typeof WIDE {
  const [size, setSize] = useState(sizeNow);
  useEffect(() => {
    const look = (): void => setSize(sizeNow());
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, []);
  return size;
}

function sizeNow(): typeof WIDE {
  if (matchMedia("(max-width: 36rem)").matches) return NARROW;
  return matchMedia("(max-width: 64rem)").matches ? MIDDLE : WIDE;
}

function MoreTracks(properties: {
  readonly hidden: number;
  readonly onMore: (more: number) => void;
}): Markup | undefined {
  const { hidden, onMore } = properties;
  if (hidden === 0) return undefined;
  return html`<p>
    <button type="button" onClick=${() => onMore(MORE_TRACKS)}>
      ${grouped(Math.min(MORE_TRACKS, hidden))} more of ${grouped(hidden)}
    </button>
  </p>`;
}

/** If there is little room, without the zone. */
function endText(at: number, width: number): string {
  const text = clockText(at, zone.value);
  return width === NARROW.width ? text.slice(5, 19) : text;
}

/** What of a track is in the span: anything else would be drawn at its ends. */
function partOf({ lives, marks, ...track }: Track, span: Span): Track {
  return {
    ...track,
    lives: lives.filter((life) => touches(life, span)),
    marks: marks.filter(({ at }) => isIn(at, span)),
  };
}

function TrackRow(properties: {
  readonly track: Track;
  readonly y: number;
  readonly names: number;
  readonly letters: number;
  readonly xOf: (at: number) => number;
}): Markup {
  const { track, y, names, letters, xOf } = properties;
  const { name, alias, lives, marks } = track;
  const [rule] = name.split("|");
  return html`<g>
    <text class="name" x=${names - 6} y=${y + 10} text-anchor="end">
      <title>${name}</title>
      ${shortened(alias === undefined ? name : `${rule}|${alias}`, letters)}
    </text>
    ${lives.map((life) => html`<${LifeBar} life=${life} name=${name} y=${y} xOf=${xOf} />`)}
    ${marks.map(
      ({ at, type, text }) =>
        html`<circle class=${type} cx=${xOf(at)} cy=${y + 6} r="3.5">
          <title>${`${clockText(at, zone.value)} ${text}`}</title>
        </circle>`,
    )}
  </g>`;
}

function LifeBar(properties: {
  readonly life: Life;
  readonly name: string;
  readonly y: number;
  readonly xOf: (at: number) => number;
}): Markup {
  const { life, name, y, xOf } = properties;
  const { state, from = 0, until = Infinity } = life;
  const [x, end] = [xOf(from), xOf(until)];
  const isWorst = state === "firing" || state === "failed";
  return html`<rect
    class=${state}
    x=${x}
    y=${y + (isWorst ? 2 : 5)}
    width=${Math.max(1.5, end - x)}
    height=${isWorst ? 9 : 3}
  >
    <title>${`${name}: ${state}`}</title>
  </rect>`;
}

function WholeMark({ x, height, mark }: { x: number; height: number; mark: Mark }): Markup {
  return html`<g class="mark">
    <line x1=${x} x2=${x} y1="4" y2=${height} />
    <path d=${`M${x - 4} 0h8l-4 7Z`}>
      <title>${`${clockText(mark.at, zone.value)} ${mark.text}`}</title>
    </path>
  </g>`;
}
