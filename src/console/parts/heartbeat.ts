import { useState } from "preact/hooks";
import type { Poller } from "../data/answers.ts";
import { zone } from "../data/store.ts";
import { html, type Markup } from "../element.ts";
import { wasPolled } from "../text/polled.ts";
import { steppedTo } from "../text/steps.ts";
import { clockText } from "../text/time.ts";

type Poll = Poller["recent"][number];

const MOST_BARS = 40;
const BAR = 6;
const TONES = {
  complete: "well",
  partial: "partial",
  truncated: "partial",
  failed: "bad",
} as const;
/** By the height, too: colour alone says nothing. */
const HEIGHTS = { complete: 22, partial: 15, truncated: 15, failed: 8 } as const;

/**
 * A bar for each poll, the newest at the right. One that is pointed at says when, how and how long; so does the one
 * that the arrow keys choose, which is what a slider is for those who hear the page.
 */
export function Heartbeat({ poller }: { readonly poller: Poller }): Markup {
  const polls = poller.recent.slice(-MOST_BARS);
  const [chosenAt, choose] = useState<string | undefined>(undefined);
  if (polls.length === 0) {
    // Another replica makes them and none is recorded, or they were made before the start: only the last is a row.
    return html`<span class="beats quiet"
      >${wasPolled(poller) ? "not known here" : "no poll yet"}</span
    >`;
  }
  const last = polls.length - 1;
  const found = polls.findIndex(({ at }) => at === chosenAt);
  const isChosen = found !== -1;
  const index = isChosen ? found : last;
  const chooseIndex = (to: number): void => choose(polls[to]?.at);
  const failed = polls.filter(({ outcome }) => outcome !== "complete").length;
  return html`<div class="beats">
    <svg
      class="heartbeat"
      tabindex="0"
      role="slider"
      aria-label=${`the last ${polls.length} polls of ${poller.entity.id}: ${failed} not complete`}
      aria-valuemin="1"
      aria-valuemax=${polls.length}
      aria-valuenow=${index + 1}
      aria-valuetext=${textOf(polls[index])}
      viewBox=${`0 0 ${MOST_BARS * BAR} 24`}
      onFocus=${() => chooseIndex(last)}
      onBlur=${() => choose(undefined)}
      onKeyDown=${(event: KeyboardEvent) => {
        const to = steppedTo(event.key, index, polls.length);
        if (to === undefined) return;
        event.preventDefault();
        chooseIndex(to);
      }}
      onPointerMove=${(event: PointerEvent) => chooseIndex(pointedAt(event, polls.length))}
      onPointerLeave=${() => choose(undefined)}
    >
      ${polls.map((poll, own) => bar(poll, MOST_BARS - polls.length + own, isChosen && own === index))}
    </svg>
    ${isChosen && html`<span class="bubble">${textOf(polls[index])}</span>`}
  </div>`;
}

function bar({ outcome }: Poll, place: number, isChosen: boolean): Markup {
  const height = HEIGHTS[outcome];
  return html`<rect
    class=${`${TONES[outcome]}${isChosen ? " chosen" : ""}`}
    x=${place * BAR}
    y=${23 - height}
    width="4"
    height=${height}
    rx="1"
  />`;
}

/** When a poll was, how it went, how long it took, and why it failed. */
function textOf(poll: Poll | undefined): string {
  if (poll === undefined) return "";
  const { at, outcome, duration_ms: ms, detail } = poll;
  const why = detail === "" ? "" : `: ${detail}`;
  return `${clockText(Date.parse(at), zone.value)}, ${outcome}, ${Math.round(ms)} ms${why}`;
}

/** The bar under the pointer, of so many that stand at the right; the first one if it is left of all. */
function pointedAt(event: PointerEvent, count: number): number {
  const { left, width } = (event.currentTarget as SVGElement).getBoundingClientRect();
  const place = Math.floor(((event.clientX - left) / width) * MOST_BARS) - (MOST_BARS - count);
  return Math.min(count - 1, Math.max(0, place));
}
