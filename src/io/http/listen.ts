import type { Server } from "node:http";
import { isIPv6, type AddressInfo } from "node:net";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";

export type ListenOptions = {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
};

export type RunningServer = {
  readonly url: string;
  /** Cuts all connections, and resolves when nothing is left. */
  readonly close: () => Promise<void>;
};

/** A host as it stands in a URL. */
export function hostInUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** How long the name of the host may take to resolve: a start that fails ends the process within five seconds. */
export const LISTEN_WITHIN: Millis = 2 * SECOND;

/** Resolves when the server listens; rejects if it cannot, or not in time. It then never listens. */
export function listen(
  server: Server,
  { host, port, signal }: ListenOptions,
): Promise<AddressInfo> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let isGivenUp = false;
    const giveUp = (why: unknown): void => {
      isGivenUp = true;
      settle();
      reject(why);
    };
    const onAbort = (): void => giveUp(signal?.reason);
    const timer = setTimeout(() => {
      giveUp(new Error(`${host} does not resolve within ${formatDuration(LISTEN_WITHIN)}`));
    }, LISTEN_WITHIN);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    // This listener stays: a connection that cannot be accepted must not end the process.
    server.on("error", giveUp);
    server.listen(port, host, () => {
      settle();
      // Its name resolved too late.
      if (isGivenUp) server.close();
      else resolve(server.address() as AddressInfo);
    });
  });
}
