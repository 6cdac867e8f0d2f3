import { signal } from "@preact/signals";
import type { TokenHolderJson } from "../../io/api/answers.ts";
import { write, type Answer } from "../data/fetch.ts";

/**
 * Who operates: the token stays in this variable. It is in no storage, cookie or address, and goes along as a header
 * of single requests only, so that no other site can make a browser send it.
 */
type Session = TokenHolderJson & { readonly token: string };

export const session = signal<Session | undefined>(undefined);

/** What a header can carry: a browser refuses others before it sends anything. */
const SENDABLE = /^[\x21-\x7e]*$/;

/** The daemon takes none that has more characters; a browser cannot even be answered about a very long one. */
const LONGEST_TOKEN = 1_000;

/** Asks whose the token is, and keeps it if it is known; otherwise answers why not. */
export async function signIn(token: string): Promise<string | undefined> {
  if (!SENDABLE.test(token))
    return "This is no token: it has a character, perhaps an invisible one, that no token has";
  if (token.length > LONGEST_TOKEN)
    return `The token is too long: it has ${token.length} characters, and a token has at most ${LONGEST_TOKEN}. Check what was copied`;
  const answer = await write<TokenHolderJson>("GET", "api/v1/token", token);
  if (answer.ok) {
    session.value = { ...answer.value, token };
    return undefined;
  }
  return refusalOf(answer);
}

/** A call with the known token. If the daemon no longer accepts it, it is forgotten, so that another is asked for. */
export async function call<Json>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Json>> {
  const { token = "" } = session.value ?? {};
  const answer = await write<Json>(method, path, token, body);
  if (!answer.ok && answer.status === 401 && session.value?.token === token) signOut();
  return answer;
}

/** Why there is no answer, or none that was wanted. */
export function refusalOf({ status, problem }: Extract<Answer<unknown>, { ok: false }>): string {
  return status === undefined ? `No answer: ${problem}` : `Refused (${status}): ${problem}`;
}

export function signOut(): void {
  session.value = undefined;
}

/** The scope of a token that an operation needs. */
export type Needed = Exclude<Session["scopes"][number], "read">;

/** If a button for it should be there: not for those whose token does not allow it. */
export function mayAsk(scope: Needed): boolean {
  if (session.value === undefined) return true;
  const { scopes } = session.value;
  return scopes.includes(scope) || (scope === "hold" && scopes.includes("operate"));
}
