import type { Result } from "../../../src/domain/result.ts";
import { inOneSlice, toEnd } from "../../../src/domain/slices.ts";
import { recordInSlices, type RecordSource } from "../../../src/io/journal/record-source.ts";

/** `recordInSlices`, to its end at once. */
export function withRecord<Value>(
  path: string,
  work: (source: RecordSource) => Result<Value, string>,
): Result<Value, string> {
  return toEnd(recordInSlices(path, inOneSlice(work)));
}
