import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { usingZlib } from "../process/endable-thread.ts";
import type { Bytes } from "./text-format.ts";

/** A piece of a page in UTF-8. If the next page has it too, it is the same object, and is compressed once. */
export type Chunk = { readonly bytes: Bytes; deflated?: Bytes };

/** A whole page as it is sent. */
export type Page = {
  /** In bytes, before it is compressed. */
  readonly length: number;
  readonly plain: () => Bytes;
  /** Scrapers that share a page share its compressed form, too. */
  readonly gzipped: () => Promise<Bytes>;
};

/** Compressing a smaller piece alone takes longer than compressing it again with its neighbours. */
const LEAST_CHUNK = 32_768;
/** Compressed in a fifth of a millisecond; more is compressed off the event loop, which costs one turn of the loop. */
const MOST_AT_ONCE = 131_072;

/** Metrics shrink to a fifteenth at the fastest level already; a better one costs more than it saves. */
const RAW = {
  level: constants.Z_BEST_SPEED,
  // It ends with a whole byte, and another part may follow.
  finishFlush: constants.Z_SYNC_FLUSH,
};

/** Fixed by RFC 1952: deflate, no name, no time, the fastest level, of an unknown system. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255);
/** An empty last block, which the parts lack; four bytes of checksum and four of length follow. */
const LAST_BLOCK = Uint8Array.of(3, 0);

/** A text that is kept for later pages: a short one stays a text, and is compressed with its neighbours. */
export function kept(text: string): string | Chunk {
  const bytes = Buffer.from(text);
  // Not `text` itself, which may still be a rope of all its lines.
  return bytes.length < LEAST_CHUNK ? bytes.toString() : { bytes };
}

/** Joins texts and chunks in order. */
export function createPageWriter() {
  const chunks: Chunk[] = [];
  let texts: string[] = [];
  const endText = (): void => {
    if (texts.length > 0) chunks.push({ bytes: Buffer.from(texts.join("")) });
    texts = [];
  };
  return {
    add: (piece: string | Chunk): void => {
      if (typeof piece === "string") return void texts.push(piece);
      endText();
      chunks.push(piece);
    },
    end: (): Page => {
      endText();
      return pageOf(chunks);
    },
  };
}

export function pageOf(chunks: readonly Chunk[]): Page {
  const length = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  let gzipped: Promise<Bytes> | undefined;
  return {
    length,
    plain: () => Buffer.concat(chunks.map(({ bytes }) => bytes)),
    gzipped: () => (gzipped ??= gzip(chunks, length)),
  };
}

/** One gzip member made of parts that were compressed separately. */
async function gzip(chunks: readonly Chunk[], length: number): Promise<Bytes> {
  const parts = await Promise.all(chunks.map(deflated));
  const checksum = chunks.reduce((sum, { bytes }) => crc32(bytes, sum), 0);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(checksum, 0);
  end.writeUInt32LE(length % 2 ** 32, 4);
  return Buffer.concat([HEADER, ...parts, LAST_BLOCK, end]);
}

const deflateOffLoop = promisify(deflateRaw);

async function deflated(chunk: Chunk): Promise<Bytes> {
  const { bytes } = chunk;
  chunk.deflated ??=
    bytes.length > MOST_AT_ONCE
      ? await usingZlib(() => deflateOffLoop(bytes, RAW))
      : usingZlib(() => deflateRawSync(bytes, RAW));
  return chunk.deflated;
}
