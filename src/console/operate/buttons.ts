import type { ComponentChildren } from "preact";
import { html, type Markup } from "../element.ts";
import { overview, shownAt } from "../data/store.ts";
import { mayAsk, type Needed } from "./session.ts";

/**
 * A button that opens the dialog. It is left out if the daemon takes no writing calls, if the past is shown, or if the
 * known token does not allow the call.
 */
export function OperateButton(properties: {
  readonly needs: Needed;
  readonly tone?: string;
  readonly onPress: () => void;
  readonly children?: ComponentChildren;
}): Markup | undefined {
  const { needs, tone = "", onPress, children } = properties;
  if (!isOffered(needs)) return undefined;
  return html`<button type="button" class=${tone} onClick=${onPress}>${children}</button>`;
}

/** Whether the operation can be asked for here and now. */
export function isOffered(needs: Needed): boolean {
  const isReadOnly = overview.value?.why_read_only !== null;
  return !isReadOnly && shownAt.value === undefined && mayAsk(needs);
}
