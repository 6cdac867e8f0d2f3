import type { ActionCall, ActionReply } from "../../domain/action.ts";
import type { Transport } from "./transport.ts";

/**
 * Sends an action once and gives what became of it. Nothing is thrown: an exception after the sending
 * began does not disprove it, so it is in doubt.
 */
export async function runAction(
  transport: Pick<Transport, "act">,
  call: ActionCall,
  options: { readonly signal: AbortSignal },
): Promise<ActionReply> {
  try {
    return await transport.act(call, options);
  } catch (error) {
    const what = error instanceof Error ? error.name : "unknown";
    return { outcome: "in_doubt", detail: `internal: a bug while acting (${what})` };
  }
}
