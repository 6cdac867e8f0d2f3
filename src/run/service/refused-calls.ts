import { MINUTE } from "../../domain/time.ts";

/** Logs a refused call, by the address of the caller and the reason. */
type RefusedCalls = (client: string, reason: string) => void;

/** The most callers that have a line of their own at the same time; calls of others are counted together. */
export const MOST_NAMED = 20;

/**
 * Anyone who reaches the port can be refused as often as they like, and must not fill the log: each caller and reason is
 * named once, and then counted in at most one line a minute. After a minute without, it is new again.
 */
export function refusedCallsLog(
  log: { readonly warn: (fields: object, message: string) => void },
  afterMinute: (run: () => void) => void = later,
): RefusedCalls {
  type Named = { readonly client: string; readonly reason: string; count: number };
  let named = new Map<string, Named>();
  let others = 0;
  let isCounting = false;
  const countUp = (): void => {
    const again = [...named].filter(([, { count }]) => count > 0);
    if (again.length > 0 || others > 0)
      log.warn(
        { calls: again.map(([, one]) => one), ...(others === 0 ? {} : { others }) },
        "more writing calls refused within a minute",
      );
    named = new Map(again.map(([key, one]) => [key, { ...one, count: 0 }]));
    others = 0;
    isCounting = named.size > 0;
    if (isCounting) afterMinute(countUp);
  };
  return (client, reason) => {
    const key = JSON.stringify([client, reason]);
    const known = named.get(key);
    if (known !== undefined) known.count += 1;
    else if (named.size >= MOST_NAMED) others += 1;
    else {
      named.set(key, { client, reason, count: 0 });
      log.warn({ client, reason }, "writing call refused");
    }
    if (!isCounting) afterMinute(countUp);
    isCounting = true;
  };
}

/** Does not keep the process alive. */
function later(run: () => void): void {
  setTimeout(run, MINUTE).unref();
}
