import type { Given, Operation } from "./operation.ts";
import { call, mayAsk, refusalOf, session } from "./session.ts";
import { signInFromField } from "./token-input.ts";

export type Said = { readonly text: string; readonly tone: "well" | "bad" | "" };

export const NOTHING_SAID: Said = { text: "", tone: "" };

type Sending = {
  readonly operation: Operation;
  readonly given: Given;
  readonly reason: string;
  /** Only asks what would change. */
  readonly isPreview: boolean;
};

type Outcome = { readonly said: Said; readonly value?: unknown };

/** Sends it once. Without a known token, the one in the field is tried first. */
export async function send({ operation, given, reason, isPreview }: Sending): Promise<Outcome> {
  const refused = await signInFromField();
  if (refused !== undefined) return { said: { text: refused, tone: "bad" } };
  if (!mayAsk(operation.needs)) {
    const text = `Refused: the token of ${session.value?.name} lacks the scope ${operation.needs}`;
    return { said: { text, tone: "bad" } };
  }
  const path = isPreview ? `${operation.path}?dry_run=true` : operation.path;
  const answer = await call<{ detail?: string; durable?: boolean }>(
    operation.method,
    path,
    operation.body?.(given, reason.trim()),
  );
  if (answer.ok) {
    if (isPreview) return { said: NOTHING_SAID, value: answer.value };
    const forgets =
      answer.value.durable === false ? " It is not on disk: a restart forgets it." : "";
    const detail = answer.value.detail ?? operation.title;
    return { said: { text: `Done: ${detail}.${forgets}`, tone: "well" }, value: answer.value };
  }
  const unsure =
    answer.status === undefined ? ". Look whether it was done, before you try again." : "";
  return { said: { text: `${refusalOf(answer)}${unsure}`, tone: "bad" } };
}
