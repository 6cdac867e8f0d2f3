import { html, type Markup } from "../element.ts";
import { grouped } from "../text/words.ts";

/** How many of all are in which state, as one bar and in words: colour alone says nothing. */
export type Share = { readonly word: string; readonly count: number; readonly tone: string };

export function ShareBar({ shares, label }: { shares: readonly Share[]; label: string }): Markup {
  const shown = shares.filter(({ count }) => count > 0);
  const all = shown.reduce((sum, { count }) => sum + count, 0);
  let from = 0;
  const parts = shown.map(({ word, count, tone }) => {
    // What is rare must be seen all the same.
    const width = Math.max(1.5, (count / all) * 100);
    const part = html`<rect class=${tone} x=${from} y="0" width=${width} height="8">
      <title>${`${word} ${grouped(count)}`}</title>
    </rect>`;
    from += width;
    return part;
  });
  return html`<svg
    class="shares"
    role="img"
    aria-label=${`${label}: ${shown.map(({ word, count }) => `${count} ${word}`).join(", ")}`}
    viewBox=${`0 0 ${Math.max(100, from)} 8`}
    preserveAspectRatio="none"
  >
    ${parts}
  </svg>`;
}
