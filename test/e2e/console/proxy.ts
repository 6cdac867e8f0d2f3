import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A proxy that can forget the streams that it passes on, as a firewall does: they stay open, and nothing comes. It can
 * also say something in them, as if the daemon did.
 */
export async function startProxy(to: string) {
  let isForgotten = false;
  const streams = new Set<ServerResponse>();
  const server = createServer((incoming, reply) => {
    const { method, url = "/" } = incoming;
    const wasForgotten = isForgotten;
    const isStream = url.includes("/events");
    // What is said in a stream is not compressed.
    const headers = { ...incoming.headers, ...(isStream && { "accept-encoding": "identity" }) };
    const onward = request(new URL(url, to), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      reply.flushHeaders();
      if (isStream) streams.add(reply);
      answer.on("data", (part: Buffer) => {
        if (!isStream || isForgotten === wasForgotten) reply.write(part);
      });
      answer.on("end", () => reply.end());
    });
    onward.on("error", () => reply.destroy());
    incoming.pipe(onward);
    reply.on("close", () => {
      streams.delete(reply);
      onward.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    forget: (): void => {
      isForgotten = true;
    },
    say: (type: string, data: unknown): void => {
      for (const stream of streams)
        stream.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
