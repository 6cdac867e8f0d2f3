import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import { steadyNow } from "../../io/process/clock.ts";
import type { CliContext } from "../context.ts";
import { startWithin } from "./cells.ts";

/**
 * Shows the progress of something slow. On a terminal it is one line, rewritten and at the end removed; elsewhere a
 * line goes to standard error now and then, so that standard output holds only the result.
 */
type Progress = {
  /** `isSlow`: this stage alone takes long, and reports nothing until it is done. */
  readonly say: (text: string, isSlow: boolean) => void;
  readonly end: () => void;
};

/** Between two lines, without a terminal. */
const QUIET_FOR: Millis = 10 * SECOND;
/** Between two drawings of one line. */
const DRAWN_FOR: Millis = 100;
/** Moves one line up and clears it, as the context prints whole lines. */
const OVER_THE_LAST = "\u001B[1A\u001B[2K";

export function createProgress(context: CliContext, now: () => Millis = steadyNow): Progress {
  const { isTerminal } = context;
  let isShown = false;
  let saidAt = isTerminal ? -Infinity : now();
  return {
    say: (text, isSlow) => {
      if (!isSlow && now() - saidAt < (isTerminal ? DRAWN_FOR : QUIET_FOR)) return;
      saidAt = now();
      // A line that went on in a second one could not be written over.
      const line = startWithin(text, context.width ?? Infinity);
      if (isTerminal) context.print(`${isShown ? OVER_THE_LAST : ""}${line}`);
      else context.complain(text);
      isShown = true;
    },
    end: () => {
      if (isShown && isTerminal) context.print(`${OVER_THE_LAST}\u001B[1A`);
    },
  };
}

const WIDTH = 30;

/** Progress through a known number of things: a bar, how many are done, and about how long the rest takes. */
export function createBar(
  total: number,
  what: string,
  context: CliContext,
  now: () => Millis = steadyNow,
): { readonly show: (done: number) => void; readonly end: () => void } {
  const { say, end } = createProgress(context, now);
  const began = now();
  return {
    show: (done) => {
      const part = done / total;
      // The next stage shows that this one is done.
      if (part === 1 && !context.isTerminal) return;
      const bar = "#".repeat(Math.round(part * WIDTH)).padEnd(WIDTH, ".");
      const left = part > 0 ? ((now() - began) * (1 - part)) / part : 0;
      const rest =
        left < SECOND ? "" : `, about ${formatDuration(Math.ceil(left / SECOND) * SECOND)} left`;
      // The last is always drawn, so that a bar is never seen to stop before its end.
      say(`[${bar}] ${done} of ${total} ${what}${rest}`, part === 1);
    },
    end,
  };
}
