import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { session, signIn, signOut } from "./session.ts";

/** Whose token is used, which can be another; or the field for one. */
export function TokenInput(): Markup {
  const known = session.value;
  // A dialog may be open above a view that asks for a token, too.
  const id = `token-${useId()}`;
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
  return html`<label for=${id}>Your token</label>
    <input
      ref=${field}
      id=${id}
      class="token"
      type="password"
      required
      autofocus
      autocomplete="off"
      spellcheck="false"
    />
    <small>It is kept by this page alone, until it is closed or loaded again.</small>`;
}

/**
 * Takes the token in the field, if none is known yet; answers why it is refused. While a dialog is open its own field
 * is meant, as nothing behind it can be written into.
 */
export async function signInFromField(): Promise<string | undefined> {
  if (session.value !== undefined) return undefined;
  const fields = [...document.querySelectorAll<HTMLInputElement>("input.token")];
  const field = fields.find((one) => one.closest("dialog") !== null) ?? fields[0];
  return await signIn(field?.value.trim() ?? "");
}
