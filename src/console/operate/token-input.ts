import { html, type Markup } from "../element.ts";
import { session, signIn } from "./session.ts";

/** Whose token is used; or the field for one. */
export function TokenInput(): Markup {
  const known = session.value;
  if (known !== undefined) return html`<p>As <b>${known.name}</b>.</p>`;
  return html`<label for="operation-token">Your token</label>
    <input
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
