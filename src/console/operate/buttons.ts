import type { ComponentChildren } from "preact";
import { html, type Markup } from "../element.ts";
import { overview, shownAt } from "../data/store.ts";
import { ask, type Operation } from "./operation.ts";
import { mayAsk, type Needed } from "./session.ts";

/**
 * A button that opens the dialog. It is left out if the daemon takes no writing calls, if the past is shown, or if the
 * known token does not allow the call.
 */
export function OperateButton(properties: {
  readonly operation: () => Operation;
  readonly tone?: string;
  readonly children?: ComponentChildren;
}): Markup | undefined {
  const { operation, tone = "", children } = properties;
  if (!isOffered(operation().needs)) return undefined;
  const press = (): void => ask(operation());
  return html`<button type="button" class=${tone} onClick=${press}>${children}</button>`;
}

/** Whether the operation can be asked for here and now. */
export function isOffered(needs: Needed): boolean {
  const isReadOnly = overview.value?.why_read_only !== null;
  return !isReadOnly && shownAt.value === undefined && mayAsk(needs);
}
