import { useLayoutEffect, useRef } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { session, signIn, signOut } from "./session.ts";

/** Whose token is used, which can be another; or the field for one. */
export function TokenInput(): Markup {
  const known = session.value;
  const field = useRef<HTMLInputElement>(null);
  const isKnown = known !== undefined;
  const wasKnown = useRef(isKnown);
  useLayoutEffect(() => {
    if (wasKnown.current && !isKnown) field.current?.focus();
    wasKnown.current = isKnown;
  }, [isKnown]);
  if (known !== undefined)
    return html`<p>
      As <b>${known.name}</b>.
      <button type="button" onClick=${signOut}>Another token</button>
    </p>`;
  return html`<label for="operation-token">Your token</label>
    <input
      ref=${field}
      id="operation-token"
      type="password"
      required
      autofocus
      autocomplete="off"
      spellcheck="false"
    />
    <small>It is kept by this page alone, until it is closed or loaded anew.</small>`;
}

/** Takes the token in the field, if none is known yet; answers why it is refused. */
export async function signInFromField(): Promise<string | undefined> {
  if (session.value !== undefined) return undefined;
  const field = document.querySelector<HTMLInputElement>("#operation-token");
  return await signIn(field?.value.trim() ?? "");
}
