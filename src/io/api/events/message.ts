import { constants, deflateRawSync } from "node:zlib";
import { TOPICS, type Topic } from "./messages.ts";

/** A server-sent event, as text and as blocks of a deflated stream, compressed once for all viewers. */
export type Message = {
  /** Undefined if it is for every viewer. */
  readonly topic: Topic | undefined;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer>;
};

/** In bytes. Larger messages are compressed faster and less. */
const MOST_COMPRESSED_WELL = 30_000;

export function messageOf(
  topic: Topic | undefined,
  event: string,
  data: string,
  id?: string,
): Message {
  // JSON has no line breaks, so the data is one line.
  const text = `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
  return { topic, ...packedOf(text) };
}

/** The first message: how long a viewer waits before it connects again, in milliseconds. */
export const GREETING: Message = { topic: undefined, ...packedOf("retry: 2000\n\n") };

/** The header of a gzip stream without a name or a time. Blocks of any messages follow. The stream never ends. */
export const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0x03);

/** Blocks that end at a byte and refer to nothing before them can be joined in any order. */
function packedOf(text: string): Pick<Message, "plain" | "packed"> {
  const plain = new TextEncoder().encode(text);
  const level = plain.length > MOST_COMPRESSED_WELL ? constants.Z_BEST_SPEED : undefined;
  const packed = deflateRawSync(plain, {
    finishFlush: constants.Z_SYNC_FLUSH,
    ...(level === undefined ? {} : { level }),
  });
  return { plain, packed: new Uint8Array(packed) };
}

/** The data of a `reset`: the topics that a viewer must read again. */
export function resetOf(topics: readonly Topic[] = TOPICS): string {
  return JSON.stringify({ topics });
}
