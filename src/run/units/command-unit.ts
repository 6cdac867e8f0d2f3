import type { Command } from "../../domain/command.ts";
import { identifierKey } from "../../domain/identifier.ts";
import { HOME, sendersUnit, unitOfSender } from "../../domain/lease.ts";

/** The unit that decides on a command: for the watch list of a sender it is the sender's unit, for all else `home`. */
export function unitOfCommand(command: Command, shards: number): string {
  const isWatch = command.name === "watch" || command.name === "unwatch";
  if (shards === 0 || !isWatch || command.entry.kind !== "sender") return HOME;
  return sendersUnit(unitOfSender(identifierKey(command.entry.target), shards));
}
