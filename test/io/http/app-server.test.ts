import { once } from "node:events";
import { createServer, maxHeaderSize } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { OpenAPIHono } from "@hono/zod-openapi";
import { expect, test, type TestContext } from "vitest";
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

/** The answer to what a client sends. */
async function answerTo(context: TestContext, sent: string): Promise<string> {
  const app = new OpenAPIHono().get("/healthz", (request) => request.text("here")) as OpenAPIHono;
  const { url, close } = await startServer(app, "127.0.0.1", 0);
  context.onTestFinished(close);
  const socket = await open(Number(new URL(url).port));
  context.onTestFinished(() => void socket.destroy());
  const answer = once(socket, "data");
  socket.write(sent);
  const [bytes] = (await answer) as [Buffer];
  return bytes.toString();
}

test("A request of HTTP/1.0 without a Host is answered, as load balancers check health by such", async (context) => {
  expect(await answerTo(context, "GET /healthz HTTP/1.0\r\n\r\n")).toContain("200 OK");
});

test.for([
  ["that is none", "so what\r\n\r\n", "400 Bad Request", "Invalid method encountered"],
  ["without a Host", "GET /healthz HTTP/1.1\r\n\r\n", "400 Bad Request", "it has no Host"],
  ["of no path", "GET * HTTP/1.0\r\n\r\n", "400 Bad Request", "Invalid URL"],
  [
    "with long headers",
    `GET / HTTP/1.1\r\nHost: loopback\r\nX: ${"x".repeat(maxHeaderSize)}\r\n\r\n`,
    "431 Request Header Fields Too Large",
    `its headers have more than ${maxHeaderSize} bytes`,
  ],
] as const)(
  "A request %s is answered with what is wrong",
  async ([, sent, status, why], context) => {
    const answer = await answerTo(context, sent);
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect(answer.toLowerCase()).toContain("content-type: application/json");
    expect(answer).toContain(JSON.stringify({ error: `the request cannot be read: ${why}` }));
  },
);

test("What is no request does not break the answer before it", async (context) => {
  const app = new OpenAPIHono().get("/", () => new Response(new ReadableStream())) as OpenAPIHono;
  const { url, close } = await startServer(app, "127.0.0.1", 0);
  context.onTestFinished(close);
  const socket = await open(Number(new URL(url).port));
  let answered = await ask(socket);
  expect(answered).toContain("200 OK");
  socket.on("data", (bytes: Buffer) => (answered += bytes.toString()));
  socket.write("so what\r\n\r\n");
  await once(socket, "close");
  expect(answered).not.toContain("cannot be read");
});

test("What is no request does not take the place of an answer that is still being made", async (context) => {
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const app = { fetch: () => asked.then(() => new Response("done")) };
  const { url, close } = await startServer(app, "127.0.0.1", 0);
  context.onTestFinished(close);
  context.onTestFinished(() => answer());
  const socket = await open(Number(new URL(url).port));
  let answered = "";
  socket.on("data", (bytes: Buffer) => (answered += bytes.toString()));
  socket.write("GET / HTTP/1.1\r\nHost: loopback\r\n\r\nso what\r\n\r\n");
  await once(socket, "close");
  expect(answered).toBe("");
});

test("A body that cannot be read is answered, though its request is being answered", async (context) => {
  const app = { fetch: (request: Request) => request.text().then((body) => new Response(body)) };
  const { url, close } = await startServer(app, "127.0.0.1", 0);
  context.onTestFinished(close);
  const socket = await open(Number(new URL(url).port));
  const answer = once(socket, "data");
  socket.write("POST / HTTP/1.1\r\nHost: loopback\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n");
  expect(String(((await answer) as [Buffer])[0])).toContain(
    "the request cannot be read: Invalid char",
  );
});
