import { promisify } from "node:util";
import { constants, gzip, gzipSync } from "node:zlib";

const inThread = promisify(gzip);

/** Compressing smaller answers is not worth it. */
export const LEAST_GZIPPED_BYTES = 1_400;
/** Compressing so much takes less than 0.5 ms; a thread costs a busy event loop some iterations. */
const MOST_GZIPPED_AT_ONCE = 16_384;
/** JSON shrinks well even at the fastest level; a better one costs more than it saves. */
const GZIP = { level: constants.Z_BEST_SPEED };

/** A body as a gzip stream; undefined if it is too small. */
export async function gzipped(plain: Uint8Array): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (plain.length < LEAST_GZIPPED_BYTES) return undefined;
  if (plain.length <= MOST_GZIPPED_AT_ONCE) return gzipSync(plain, GZIP);
  return await inThread(plain, GZIP);
}
