import { UNREACHABLE } from "../data/fetch.ts";
import { lost } from "../data/store.ts";
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
