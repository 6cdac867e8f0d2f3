import { DEEPEST_JSON, endOfText } from "../../domain/values/json-text.ts";
import {
  createRest,
  DEEPEST_LIST,
  endOfRun,
  newList,
  type BodyItems,
  type ScannedList,
} from "./json-items.ts";

/** Bodies from this length on are remembered: only listings are so long. */
export const LONG_BODY = 20_000;

export type Scanned = {
  readonly deepest: number;
  /** How many keys the rest has: each colon outside a text follows a key. */
  readonly keys: number;
  /** The body with a number in the place of each run, and with the number of each list before its items. */
  readonly rest: string;
  readonly lists: readonly ScannedList[];
};

/**
 * Scans a text for its depth, up to the limit, its number of keys, and objects that the body before had: an object that
 * begins with the text of a whole known one is that one.
 */
export function scanBody(body: string, before?: BodyItems): Scanned {
  const isLong = body.length >= LONG_BODY;
  const rest = createRest(body);
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  const lists: ScannedList[] = [];
  let list: ScannedList | undefined;
  for (let index = 0; index < body.length; index += 1) {
    const code = body.charCodeAt(index);
    if (code === 0x22) index = endOfText(body, index);
    else if (code === 0x3a) keys += 1;
    else if (code === 0x2c) {
      if (list?.depth === depth) list.at += 1;
    } else if (code === 0x5b || code === 0x7b) {
      if (code === 0x7b && list?.depth === depth) {
        const end = endOfRun(list, body, index, before?.body ?? "");
        if (end > index) {
          rest.cut(index, end);
          index = end - 1;
          continue;
        }
        list.starts.push(index);
      }
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (depth > DEEPEST_JSON) break;
      if (code === 0x5b && isLong && list === undefined && depth <= DEEPEST_LIST + 1) {
        list = newList(depth, before?.lists[lists.length]);
        rest.number(lists.length, index + 1);
        lists.push(list);
      }
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
      if (list === undefined) continue;
      if (list.depth > depth) list = undefined;
      else if (code === 0x7d && list.depth === depth) list.ends.push(index + 1);
    }
  }
  return { deepest, keys, rest: rest.text(), lists };
}
