import { html } from "hono/html";
import { readFileSync } from "node:fs";
import type { ProposalStatus } from "../../core/explain/status-acting.ts";
import { ownModule } from "../process/own-files.ts";
import type { Markup } from "./parts.ts";

/**
 * Deciding proposals on the page: buttons, a dialog, and the script that they need. Without the
 * script there is only the command, as always.
 */

/** The path of the script; the page's policy lets a browser run no other. */
export const SCRIPT_PATH = "/page.js";

/** The script of the page, as text: read once, as it is part of the program. */
export const PAGE_SCRIPT = readFileSync(ownModule("io/page/script.js"), "utf8");

/** Hidden until the script shows them. There are none if writing calls are off, or if it is decided for good. */
export function decideButtons({ id, digest, state }: ProposalStatus, isEnabled: boolean): Markup {
  if (!isEnabled || state === "denied" || state === "withdrawn") return html``;
  const button = (decision: string, word: string): Markup =>
    html`<button
      type="button"
      data-proposal="${id}"
      data-digest="${digest}"
      data-decision="${decision}"
      hidden
    >
      ${word}
    </button>`;
  return html`${state === "approved" ? "" : button("approve", "Approve")} ${button("deny", "Deny")}`;
}

/** The form has no address and cannot send by itself: only the script sends. */
export function decideDialog(): Markup {
  return html`<dialog id="decide" aria-labelledby="decide-title">
    <form method="dialog" autocomplete="off">
      <h2 id="decide-title"></h2>
      <dl id="decide-about"></dl>
      <label for="decide-token">Your token</label>
      <input id="decide-token" type="password" autocomplete="off" spellcheck="false" />
      <label for="decide-reason">Reason</label>
      <input id="decide-reason" type="text" required maxlength="500" autocomplete="off" />
      <p class="quiet">
        The journal keeps your token's name and the reason. The token is kept by this page alone,
        until it is closed or loaded anew.
      </p>
      <output id="decide-answer"></output>
      <p>
        <button id="decide-send" type="submit"></button>
        <button id="decide-close" type="button">Close</button>
      </p>
    </form>
  </dialog>`;
}
