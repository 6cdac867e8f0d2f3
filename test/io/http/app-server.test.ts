import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { OpenAPIHono } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { startServer } from "../../../src/io/http/app-server.ts";

/** The first bytes of an answer; rejects if the connection is closed. */
async function ask(socket: Socket): Promise<string> {
  if (socket.destroyed) throw new Error("the server has closed the connection");
  const answer = once(socket, "data");
  socket.write("GET / HTTP/1.1\r\nHost: loopback\r\n\r\n");
  const [bytes] = (await answer) as [Buffer];
  return bytes.toString();
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

test("An idle connection is answered on, if its client is later than it was told", async (context) => {
  const app = new OpenAPIHono().get("/", (request) => request.text("here")) as OpenAPIHono;
  const ours = await startServer(app, "127.0.0.1", 0);
  context.onTestFinished(ours.close);
  // It tells its clients the same, and closes a second after that.
  const usual = createServer((_, response) => response.end("here")).listen(0, "127.0.0.1");
  context.onTestFinished(() => void usual.close());
  await once(usual, "listening");
  const idle = await open(Number(new URL(ours.url).port));
  const sooner = await open((usual.address() as AddressInfo).port);
  context.onTestFinished(() => void [idle, sooner].map((socket) => socket.destroy()));
  expect(await ask(idle)).toContain("Keep-Alive: timeout=5");
  expect(await ask(sooner)).toContain("Keep-Alive: timeout=5");
  await once(sooner, "close");
  expect(await ask(idle)).toContain("200 OK");
});

test("A request of HTTP/1.0 without a Host is answered, as load balancers check health by such", async (context) => {
  const app = new OpenAPIHono().get("/healthz", (request) => request.text("here")) as OpenAPIHono;
  const { url, close } = await startServer(app, "127.0.0.1", 0);
  context.onTestFinished(close);
  const socket = await open(Number(new URL(url).port));
  context.onTestFinished(() => void socket.destroy());
  const answer = once(socket, "data");
  socket.write("GET /healthz HTTP/1.0\r\n\r\n");
  const [bytes] = (await answer) as [Buffer];
  expect(bytes.toString()).toContain("200 OK");
});
