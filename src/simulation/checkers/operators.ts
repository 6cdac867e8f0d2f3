import type { Command } from "../../domain/command.ts";
import type { Step } from "./acts.ts";

/** What an operator said and the core took, and what it is about: the id of the hold, the proposal … */
export function acceptedCommand({
  event,
  result,
}: Step): { readonly command: Command; readonly by: string; readonly subject: string } | undefined {
  if (event.type !== "command") return undefined;
  const answer = result.findings.find((finding) => finding.type === "command");
  if (answer?.accepted !== true) return undefined;
  return { command: event.command, by: event.by, subject: answer.subject };
}
