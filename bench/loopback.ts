import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on a free port of this machine alone. */
export type LoopbackServer = {
  readonly server: Server;
  /** Without a slash at the end. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

export async function serve(answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { server, url: `http://127.0.0.1:${portOf(server)}`, close };
}

/** The same in a process of its own, so that its work is not counted: it tells its parent the port, and ends with it. */
export async function serveParent(answer: RequestListener): Promise<void> {
  const { server, close } = await serve(answer);
  process.send?.(portOf(server));
  process.once("disconnect", () => void close());
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
