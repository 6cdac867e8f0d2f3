/** A signal that follows others until it is unlinked from them. */
export type LinkedSignal = {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  readonly unlink: () => void;
};

/**
 * Makes a signal that is aborted when one of the sources is, or by its own `abort`. It must be
 * unlinked when what it is for has ended.
 *
 * It stands in for AbortSignal.any, which on Node 24 keeps 0.2 to 1.3 KB for each call for as long as
 * a source lives: a source that lives for months, as ours do, would fill the memory.
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const source of sources) {
    if (source.aborted) abort();
    else source.addEventListener("abort", abort);
  }
  return {
    signal: controller.signal,
    abort,
    unlink: () => {
      for (const source of sources) source.removeEventListener("abort", abort);
    },
  };
}
