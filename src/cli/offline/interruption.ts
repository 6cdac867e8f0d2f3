import { fail, type Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import { createTimeSlice } from "../../io/process/time-slice.ts";
import { interruptedBy, type CliContext } from "../context.ts";

/** A signal ends the work between two slices, so that files are closed properly. */
export async function toEndUnlessInterrupted<Value>(
  work: Slices<Result<Value, string>>,
  context: CliContext,
): Promise<Result<Value, string>> {
  const slice = createTimeSlice();
  // It may have come while files were read.
  await slice.next();
  while (!context.signal.aborted) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (slice.isOver()) await slice.next();
  }
  const interrupted = fail(interruptedBy(context));
  work.return(interrupted);
  return interrupted;
}
