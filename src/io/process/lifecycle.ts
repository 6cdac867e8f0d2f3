/**
 * The steps that undo things when the process ends, last in first out, each with a name for the log. If one fails, the
 * others are still taken.
 */
export type Cleanup = {
  readonly add: (name: string, undo: () => void | Promise<void>) => void;
  /** Runs everything once; a second call waits for the first. */
  readonly run: () => Promise<void>;
};

export function createCleanup(onError: (name: string, error: unknown) => void): Cleanup {
  const stack: Array<{ name: string; undo: () => void | Promise<void> }> = [];
  let running: Promise<void> | undefined;
  async function undoAll(): Promise<void> {
    for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
      try {
        await entry.undo();
      } catch (error) {
        onError(entry.name, error);
      }
    }
  }
  return {
    add: (name, undo) => void stack.push({ name, undo }),
    run: () => (running ??= undoAll()),
  };
}
