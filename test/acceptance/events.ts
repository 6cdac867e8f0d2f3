import type { TestContext } from "vitest";
import { afterMachineTime } from "../machine-time.ts";

/** Tests run side by side, so each undoes its own things. */
export type Finishing = Pick<TestContext, "onTestFinished">;

/** Events of one kind, such as log lines or requests, and a way to wait for one of them. */
export type Events<Event> = {
  /** Every event so far, oldest first. */
  readonly all: readonly Event[];
  readonly add: (event: Event) => void;
  /** The first event that fits, of those so far and those to come. */
  readonly first: (fits: (event: Event) => boolean, options?: WaitOptions) => Promise<Event>;
  /** The first event to come that fits. */
  readonly next: (fits: (event: Event) => boolean, options?: WaitOptions) => Promise<Event>;
};

export type WaitOptions = {
  /** For the message of a wait that ends without its event. */
  readonly what?: string;
  /** Only if what is waited for takes long by its nature. */
  readonly atMostMs?: number;
};

/** A wait for an event that does not come ends after so much of the machine's time, with what the daemon last said. */
const LONGEST_WAIT_MS = 15_000;
const SHOWN_LINES = 20;

type Log = { readonly lines: readonly unknown[]; readonly ending: () => string };

const logs = new WeakMap<Finishing, readonly Log[]>();

/** The last lines of this log, and how its process ended, are shown if a wait of the same test ends without its event. */
export function showLogOf(
  context: Finishing,
  lines: Log["lines"],
  ending = (): string => "",
): void {
  logs.set(context, [...(logs.get(context) ?? []), { lines, ending }]);
}

export function createEvents<Event>(context: Finishing, kind: string): Events<Event> {
  const all: Event[] = [];
  const waiting = new Set<(event: Event) => void>();
  const next: Events<Event>["next"] = async (
    fits,
    { what = "", atMostMs = LONGEST_WAIT_MS } = {},
  ) => {
    const { promise, resolve, reject } = Promise.withResolvers<Event>();
    const offer = (event: Event): void => {
      if (fits(event)) resolve(event);
    };
    waiting.add(offer);
    const missing = new Error(`no ${kind} ${what || fits.toString()} within ${atMostMs} ms`);
    const cancel = afterMachineTime(atMostMs, () => {
      missing.message += lastLines(context);
      reject(missing);
    });
    try {
      return await promise;
    } finally {
      cancel();
      waiting.delete(offer);
    }
  };
  return {
    all,
    add: (event) => {
      all.push(event);
      for (const offer of waiting) offer(event);
    },
    first: async (fits, options) => all.find((event) => fits(event)) ?? (await next(fits, options)),
    next,
  };
}

function lastLines(context: Finishing): string {
  return (logs.get(context) ?? [])
    .map(({ lines, ending }) => {
      const shown = lines.slice(-SHOWN_LINES).map((line) => JSON.stringify(line));
      return `\nthe last ${shown.length} of ${lines.length} log lines:\n${shown.join("\n")}${ending()}`;
    })
    .join("");
}
