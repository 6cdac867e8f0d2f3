import { UNREACHABLE } from "../data/fetch.ts";
import { lost } from "../data/store.ts";
import { oldAnswers } from "../data/use-answer.ts";
import { html, type Markup } from "../element.ts";
import { Banner, Clock } from "./small.ts";

/** Says that what is shown is old, while the daemon does not answer. */
export function LostBanner(): Markup | undefined {
  if (lost.value === undefined) return undefined;
  const { since, why } = lost.value;
  return html`<div role="alert">
    <${Banner}>
      What is below is old: aggwatch does not answer since <${Clock} at=${since} />${
        why === UNREACHABLE ? "" : ` (${why})`
      }.
      The page tries again every few seconds.
    <//>
  </div>`;
}

/** Says that a part of the view is old, if the daemon answers, but not about that. */
export function OldBanner(): Markup | undefined {
  if (lost.value !== undefined || oldAnswers.value.size === 0) return undefined;
  const since = Math.min(...[...oldAnswers.value.values()].map((at = Infinity) => at));
  return html`<div role="alert">
    <${Banner} tone="warning">
      A part of what is below could not be read
      again${Number.isFinite(since) && html`${" "}since <${Clock} at=${since} />`}.
    <//>
  </div>`;
}
