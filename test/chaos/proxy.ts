import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Stands between one replica and the database, and does to their connection what networks do. */
export type Proxy = {
  readonly port: number;
  /** Nothing goes through any more, in either direction, and nobody is told. */
  readonly partition: () => void;
  readonly heal: () => void;
  /** Ends every connection at once, perhaps in the middle of a reply. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
};

export async function startProxy(target: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isParted = false;
  const server = createServer((inner) => {
    const outer = connect(target, "127.0.0.1");
    const pair = [inner, outer] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", end).on("close", end);
    }
    // A partition is a pipe that nobody drains: what was sent arrives when it is healed, or never.
    inner.on("data", (chunk) => void outer.write(chunk));
    outer.on("data", (chunk) => void inner.write(chunk));
    if (isParted) for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const each = (act: (socket: Socket) => void): void => {
    for (const pair of pairs) for (const socket of pair) act(socket);
  };
  return {
    port: (server.address() as AddressInfo).port,
    partition: () => {
      isParted = true;
      each((socket) => socket.pause());
    },
    heal: () => {
      isParted = false;
      each((socket) => socket.resume());
    },
    cut: () => each((socket) => socket.destroy()),
    close: async () => {
      each((socket) => socket.destroy());
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
