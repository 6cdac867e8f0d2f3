import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { TestContext } from "vitest";

/**
 * Takes connections on a free port, and answers the first word of each with these bytes; it never closes one. `closed`:
 * a client has closed one.
 */
export async function startAnswering(
  context: Pick<TestContext, "onTestFinished">,
  answer: Buffer,
): Promise<{ readonly url: string; readonly closed: Promise<void> }> {
  const sockets: Socket[] = [];
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => close()).on("end", () => close());
    socket.once("data", () => void socket.write(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://aggwatch:secret@127.0.0.1:${port}/aggwatch`, closed };
}

/** A message of PostgreSQL's protocol. */
export function message(type: string, body: string): Buffer {
  const whole = Buffer.from(`${type}\0\0\0\0${body}`, "latin1");
  whole.writeInt32BE(body.length + 4, 1);
  return whole;
}
