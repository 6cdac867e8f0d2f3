import type { Checker } from "../witness.ts";
import { checkAllowList } from "./allow-list.ts";

/** Every checker, new: each keeps the books of one run. */
export function createCheckers(): readonly Checker[] {
  return [checkAllowList()];
}
