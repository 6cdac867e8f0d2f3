import { html, type Markup } from "../element.ts";

type Polls = ReadonlyArray<{ readonly at: string; readonly duration_ms: number }>;

const WIDTH = 160;
const HEIGHT = 24;

/** How long the last polls took, as a line from the oldest to the newest, and in words. */
export function DurationLine({
  label,
  polls,
}: {
  readonly label: string;
  readonly polls: Polls;
}): Markup {
  const lengths = polls.map(({ duration_ms: length }) => length);
  const last = lengths.at(-1);
  if (last === undefined) return html`<span class="line"></span>`;
  const longest = Math.max(...lengths, 1);
  const says = `${lengthText(last)}, at most ${lengthText(longest)}`;
  return html`<span class="line">
    <svg
      role="img"
      aria-label=${`how long polls of ${label} take: ${says}`}
      viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <polyline points=${pointsOf(lengths, longest)} />
    </svg>
    <small>${says}</small>
  </span>`;
}

/** The points of a line through values from 0 to `most`, over the whole width. */
function pointsOf(values: readonly number[], most: number): string {
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  return values
    .map((value, index) => {
      const y = HEIGHT - 1 - (value / most) * (HEIGHT - 2);
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}

function lengthText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
