import { randomBytes } from "node:crypto";
import { messageOf, type Message } from "./message.ts";
import type { Topic } from "./messages.ts";

/** A viewer that missed more must read everything again. */
export const MOST_KEPT_BYTES = 2_000_000;

/** The last messages, so that a viewer whose connection broke continues where it was. */
export function createKeptMessages() {
  const run = randomBytes(6).toString("base64url");
  const kept: Message[] = [];
  let bytes = 0;
  let last = 0;
  return {
    /** Makes a message with the next id, and keeps it. */
    add: (topic: Topic, event: string, data: string): Message => {
      last += 1;
      const message = messageOf(topic, event, data, `${run}.${last}`);
      kept.push(message);
      bytes += message.plain.length;
      while (bytes > MOST_KEPT_BYTES) bytes -= kept.shift()?.plain.length ?? bytes;
      return message;
    },
    /** The id of the newest message. */
    lastId: () => `${run}.${last}`,
    /** The messages after this id; undefined if they are no longer kept, or the id is not of this run. */
    after: (id: string | undefined): readonly Message[] | undefined => {
      const [of = "", digits = ""] = (id ?? "").split(".");
      if (of !== run || !/^\d{1,15}$/.test(digits)) return undefined;
      const missed = last - Number(digits);
      if (missed < 0 || missed > kept.length) return undefined;
      return kept.slice(kept.length - missed);
    },
  };
}
