import type { Millis } from "../../domain/time.ts";
import { LONGEST_TIMER } from "../process/pause.ts";
import { SendError } from "./send-failure.ts";

export type ConnectLimits = {
  /** How long the connection to the proxy and its answer may take, and then the TLS handshake. */
  readonly connectMs: Millis;
  /** Gives the connection up. */
  readonly signal: AbortSignal;
};

/**
 * Waits for a step of connecting, which `start` begins; `start` returns a function that ends the step. A failure
 * rejects with a `SendError` that says that nothing was sent, or with the error itself.
 */
export function withinTime<Value>(
  { connectMs, signal, late }: ConnectLimits & { readonly late: string },
  start: (resolve: (value: Value) => void, refuse: (why: string | Error) => void) => () => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let giveUp: () => void = () => undefined;
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const refuse = (why: string | Error): void => {
      settle();
      reject(
        typeof why === "string"
          ? new SendError({ reason: "connect", message: why, neverSent: true })
          : why,
      );
      giveUp();
    };
    const onAbort = (): void => refuse("given up while connecting");
    const timer = setTimeout(() => refuse(late), Math.min(connectMs, LONGEST_TIMER));
    signal.addEventListener("abort", onAbort);
    giveUp = start((value) => {
      settle();
      resolve(value);
    }, refuse);
    if (signal.aborted) onAbort();
  });
}
