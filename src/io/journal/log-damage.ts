import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { devNull, endianness } from "node:os";
import { basename } from "node:path";
import { isInUse, LOG_SUFFIX } from "./file.ts";
import { MOST_UNSYNCED } from "./write-ahead-log.ts";

/**
 * Finds damage in the middle of a write-ahead log. SQLite takes everything up to the first frame with a wrong checksum,
 * and silently drops the rest, because a process that dies leaves half a transaction at the end. If whole transactions
 * follow that had waited for the disk, they had been acknowledged: without them, aggwatch would not know what it has
 * sent.
 */
export function logDamage(file: string): string | undefined {
  const path = `${file}${LOG_SUFFIX}`;
  if (!existsSync(path)) return undefined;
  const log = readFileSync(path);
  const header = readHeader(log);
  const damaged = header === undefined ? damagedHeader(file, log) : damagedFrame(log, header);
  // If a process is writing to it, the log was not read at one instant.
  if (damaged === undefined || isInUse(file)) return undefined;
  return `${damaged} of ${basename(path)} is damaged, and commits follow on it that would be lost`;
}

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const PAGE_BYTES_AT = 8;
const LARGEST_PAGE = 65_536;
const IS_BIG_ENDIAN = endianness() === "BE";
/**
 * The first frame of a round proves nothing without the header, and the last may be torn. SQLite begins a log again
 * only after a thousand pages, or cuts it to nothing, so an old one with more frames than this has sound ones.
 */
const MOST_UNSOUND = 8;

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
  const pageBytes = log.readUInt32BE(PAGE_BYTES_AT);
  return { pageBytes, isBigEndian, salts: log.subarray(16, 24), sum };
}

/**
 * Before a sync, the blocks of a log may reach the disk in any order. So after a loss of power, old ones may stand in
 * front of whole transactions that had not waited for the disk, and of the one that did as it happened.
 */
function damagedFrame(log: Buffer, header: Header): string | undefined {
  let broken: number | undefined;
  let isOld = false;
  let commitsAfter = 0;
  for (const frame of framesOf(log, header)) {
    if (broken === undefined && frame.isSound) continue;
    broken ??= frame.number;
    // A block that is lost has the header of the broken frame, or that of the next.
    if (frame.number <= broken + 1) isOld ||= mayBeOld(log, header, frame.number);
    if (frame.isSound && frame.pagesAfter !== 0) commitsAfter += 1;
    if (commitsAfter > (isOld ? MOST_UNSYNCED + 1 : 1)) return `frame ${broken}`;
  }
  return undefined;
}

/** What a disk writes as one: all of it, or nothing. */
const BLOCK_BYTES = 4_096;
/** SQLite adds one to the first salt of each round, and draws the second. */
const MOST_ROUNDS = 65_536;

/** Whether the header of a frame is what was there before this round: zeros, or of an earlier round. */
function mayBeOld(log: Buffer, { pageBytes, salts }: Header, number: number): boolean {
  const from = HEADER_BYTES + (number - 1) * (FRAME_HEADER_BYTES + pageBytes);
  // It ends its block, or goes on in the next: a block beside it may be lost whose only header this would be.
  if (from % BLOCK_BYTES >= BLOCK_BYTES - FRAME_HEADER_BYTES) return true;
  const own = log.subarray(from + 8, from + 16);
  if (own.every((byte) => byte === 0)) return true;
  const rounds = (salts.readUInt32BE(0) - own.readUInt32BE(0)) >>> 0;
  return rounds > 0 && rounds < MOST_ROUNDS && salts.readUInt32BE(4) !== own.readUInt32BE(4);
}

/**
 * SQLite takes a log with a damaged header for an empty one. A crash can leave such a log too, if it tears the header as
 * SQLite writes it, and then nothing is lost: it is written over an old log only once all commits of that log are safe
 * in the file, and no frame is written before the header is safe. So it is damage if the log has a commit that is not
 * in the file, or room for many frames and not one: no crash tears those of an old log.
 */
function damagedHeader(file: string, log: Buffer): string | undefined {
  if (log.length < HEADER_BYTES) return undefined;
  // Of a file that is gone nothing is known, as of an empty one.
  const handle = openSync(existsSync(file) ? file : devNull, "r");
  try {
    const pageBytes = pageBytesOf(handle);
    const isIn = ({ at, page }: Frame): boolean =>
      page.equals(bytesAt(handle, (at - 1) * pageBytes, pageBytes));
    const frames = [
      ...framesOf(log, { pageBytes, isBigEndian: IS_BIG_ENDIAN, sum: sumAt(log, 24) }),
    ];
    const isOverwritten = frames.length > MOST_UNSOUND && !frames.some(({ isSound }) => isSound);
    const isLost = isOverwritten || !lastCommitted(frames).every(isIn);
    return isLost ? "the header" : undefined;
  } finally {
    closeSync(handle);
  }
}

/** The newest frame of each page, of all commits, as far as it can be known without the header. */
function lastCommitted(frames: readonly Frame[]): readonly Frame[] {
  const committed = new Map<number, Frame>();
  let begun: Frame[] = [];
  let pages = 0;
  for (const frame of frames) {
    if (!frame.isSound) continue;
    begun.push(frame);
    if (frame.pagesAfter === 0) continue;
    for (const one of begun) committed.set(one.at, one);
    begun = [];
    pages = frame.pagesAfter;
  }
  // The file may have shrunk.
  return [...committed.values()].filter(({ at }) => at <= pages);
}

/** https://www.sqlite.org/fileformat2.html#the_database_header */
function pageBytesOf(handle: number): number {
  const bytes = bytesAt(handle, 16, 2).readUInt16BE();
  return bytes === 1 ? LARGEST_PAGE : bytes;
}

/** The size of a page by the header of a log, which may be damaged; 0 if there is none. */
export function pageBytesOfLog(log: string): number {
  const handle = openSync(log, "r");
  try {
    return Math.min(bytesAt(handle, PAGE_BYTES_AT, 4).readUInt32BE(), LARGEST_PAGE);
  } finally {
    closeSync(handle);
  }
}

/** What is behind the end of the file is zero. */
function bytesAt(handle: number, at: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  readSync(handle, bytes, 0, count, at);
  return bytes;
}

type Frame = {
  readonly number: number;
  readonly isSound: boolean;
  /** The number of its page in the file, from 1. */
  readonly at: number;
  readonly page: Buffer;
  /** How many pages the file has after the commit that this frame ends; 0 if it ends none. */
  readonly pagesAfter: number;
};

/**
 * The frames of the log's last round. Each sum continues the one stored in the frame before. If the salts are not
 * known, those of the first frame whose sum is right count.
 */
function* framesOf(
  log: Buffer,
  header: Omit<Header, "salts"> & Partial<Pick<Header, "salts">>,
): Generator<Frame> {
  const { pageBytes, isBigEndian } = header;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let { sum: before, salts } = header;
  let number = 1;
  for (let from = HEADER_BYTES; from + frameBytes <= log.length; from += frameBytes) {
    const page = log.subarray(from + FRAME_HEADER_BYTES, from + frameBytes);
    const sum = add(add(before, log.subarray(from, from + 8), isBigEndian), page, isBigEndian);
    before = sumAt(log, from + 16);
    const at = log.readUInt32BE(from);
    const own = log.subarray(from + 8, from + 16);
    // The sum of zeros is zero, but there is no page 0.
    const isWhole = at > 0 && isSame(sum, before);
    if (isWhole) salts ??= own;
    const isSound = isWhole && salts?.equals(own) === true;
    yield { number: number++, isSound, at, page, pagesAfter: log.readUInt32BE(from + 4) };
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
