import type { CliContext } from "./context.ts";

/** A progress bar that is redrawn in place; without a terminal it prints nothing. */
export type Progress = { readonly show: (done: number) => void; readonly end: () => void };

const WIDTH = 30;
/** Moves one line up and clears it, as the context prints whole lines. */
const OVER_THE_LAST = "\u001B[1A\u001B[2K";

export function createProgress(total: number, what: string, context: CliContext): Progress {
  let isShown = false;
  if (!context.isTerminal) return { show: () => undefined, end: () => undefined };
  return {
    show: (done) => {
      const filled = Math.round((done / Math.max(1, total)) * WIDTH);
      const bar = "#".repeat(filled).padEnd(WIDTH, ".");
      context.print(`${isShown ? OVER_THE_LAST : ""}[${bar}] ${done} of ${total} ${what}`);
      isShown = true;
    },
    end: () => {
      if (isShown) context.print(`${OVER_THE_LAST}\u001B[1A`);
      isShown = false;
    },
  };
}
