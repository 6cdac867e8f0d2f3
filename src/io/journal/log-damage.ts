import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { isInUse, LOG_SUFFIX } from "./file.ts";

/**
 * Finds damage in the middle of a write-ahead log. SQLite takes everything up to the first frame with a wrong checksum,
 * and silently drops the rest, because a process that dies leaves half a transaction at the end. If whole transactions
 * follow, they had been acknowledged: without them, aggwatch would not know what it has sent.
 */
export function logDamage(file: string): string | undefined {
  const path = `${file}${LOG_SUFFIX}`;
  if (!existsSync(path)) return undefined;
  const log = readFileSync(path);
  const header = readHeader(log);
  if (header === undefined) return undefined;
  let broken: number | undefined;
  let commitsAfter = 0;
  for (const frame of framesOf(log, header)) {
    if (broken === undefined && frame.isSound) continue;
    broken ??= frame.number;
    // Before a sync, the pages of one transaction may reach the disk in any order, so its end proves nothing.
    if (frame.isSound && frame.isCommit) commitsAfter += 1;
    if (commitsAfter <= 1) continue;
    // If a process is writing to it, the log was not read at one instant.
    return isInUse(file)
      ? undefined
      : `frame ${broken} of ${basename(path)} is damaged, and commits follow on it that would be lost`;
  }
  return undefined;
}

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

type Header = {
  readonly pageBytes: number;
  readonly isBigEndian: boolean;
  /** SQLite overwrites the log from its beginning, each time with new salts. */
  readonly salts: Buffer;
  readonly sum: Sum;
};

type Sum = readonly [number, number];

function readHeader(log: Buffer): Header | undefined {
  if (log.length < HEADER_BYTES) return undefined;
  const magic = log.readUInt32BE(0);
  if (magic !== MAGIC && magic !== MAGIC + 1) return undefined;
  const isBigEndian = magic === MAGIC + 1;
  const sum = add([0, 0], log.subarray(0, 24), isBigEndian);
  if (!isSame(sum, sumAt(log, 24))) return undefined;
  const pageBytes = log.readUInt32BE(8);
  return { pageBytes, isBigEndian, salts: log.subarray(16, 24), sum };
}

type Frame = { readonly number: number; readonly isSound: boolean; readonly isCommit: boolean };

/** The frames of the log's last round. Each sum continues the one stored in the frame before. */
function* framesOf(
  log: Buffer,
  { pageBytes, isBigEndian, salts, sum: first }: Header,
): Generator<Frame> {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let before = first;
  let number = 1;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const page = log.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
    const sum = add(add(before, log.subarray(at, at + 8), isBigEndian), page, isBigEndian);
    before = sumAt(log, at + 16);
    const isOfThisRound = log.subarray(at + 8, at + 16).equals(salts);
    yield {
      number: number++,
      isSound: isOfThisRound && isSame(sum, before),
      isCommit: log.readUInt32BE(at + 4) !== 0,
    };
  }
}

function add([first, second]: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + two + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))) >>> 0;
    two =
      (two + one + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4))) >>> 0;
  }
  return [one, two];
}

function sumAt(log: Buffer, at: number): Sum {
  return [log.readUInt32BE(at), log.readUInt32BE(at + 4)];
}

function isSame([one, two]: Sum, [other, another]: Sum): boolean {
  return one === other && two === another;
}
