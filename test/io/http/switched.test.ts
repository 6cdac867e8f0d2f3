/** Tests src/io/http/http-send.ts: an answer after which the connection is no longer one of HTTP. */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, it } from "vitest";
import { createSender } from "../../../src/io/http/http-send.ts";

it("a server that switches to another protocol has given no answer, and its connection is closed", async (context) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const timeouts = { connectMs: 10_000, responseMs: 10_000, requestMs: 20_000 };
  const sender = createSender({ timeouts, maxBodyBytes: 1_000, connections: 1, keepAlive: true });
  context.onTestFinished(() => {
    sender.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const closed = once(server, "connection").then(async ([socket]) => await once(socket, "close"));
  const url = new URL(`http://127.0.0.1:${port}/`);
  const outgoing = { method: "GET", url, headers: {}, body: undefined } as const;
  expect(await sender.send(outgoing, new AbortController().signal)).toEqual({
    ok: false,
    problem: {
      reason: "malformed",
      message: "the server switches to another protocol (status 101)",
      neverSent: false,
    },
  });
  await closed;
});
