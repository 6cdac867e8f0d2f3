import { signal } from "@preact/signals";
import type { TokenHolderJson } from "../../io/api/answers.ts";
import { write } from "../data/fetch.ts";

/**
 * Who operates: the token stays in this variable. It is in no storage, cookie or address, and goes along as a header
 * of single requests only, so that no other site can make a browser send it.
 */
export type Session = TokenHolderJson & { readonly token: string };

export const session = signal<Session | undefined>(undefined);

/** Asks whose the token is, and keeps it if it is known; otherwise answers why not. */
export async function signIn(token: string): Promise<string | undefined> {
  const answer = await write<TokenHolderJson>("GET", "api/v1/token", token);
  if (answer.ok) {
    session.value = { ...answer.value, token };
    return undefined;
  }
  const { status, problem } = answer;
  return status === undefined ? `No answer: ${problem}` : `Refused (${status}): ${problem}`;
}

export function signOut(): void {
  session.value = undefined;
}

/** If a button for it should be there: not for those whose token does not allow it. */
export function mayAsk(scope: string): boolean {
  return session.value === undefined || session.value.scopes.includes(scope as never);
}
