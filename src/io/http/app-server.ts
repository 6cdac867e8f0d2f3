import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type * as Adapter from "@hono/node-server";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { SECOND, type Millis } from "../../domain/time.ts";
import { settleWithin } from "../process/settle-within.ts";
import { closeServer, hostInUrl, listen, type RunningServer } from "./listen.ts";
import { answerUnread, unreadBody } from "./unread-request.ts";

/** The app that answers requests. */
export type App = Pick<OpenAPIHono, "fetch">;

/** The answer if the app's adapter cannot be loaded; a restart finds the new files. */
export const NOT_LOADED =
  "what answers requests cannot be loaded: were the program's files replaced? Restart it.";

/**
 * Loads the adapter between Node's requests and an app. It loads Node's own `fetch` too, which takes longer than the
 * rest of the server, so a server loads it at the latest with its first request.
 */
export async function loadAdapter(): Promise<typeof Adapter> {
  return await import("@hono/node-server");
}

/**
 * An idle connection stays open for this much longer than its client was told. One that is late to close it, as its
 * machine is busy, may send a request just then, and would get a reset in place of an answer.
 */
const LATE_CLIENT: Millis = 10 * SECOND;

/** How long an end waits for the answers that are being made; what is read meanwhile is answered too. */
const LAST_ANSWERS: Millis = SECOND;

/** Listens; with port 0 the system chooses one, and `url` has it. Rejects if the address is taken. */
export async function startServer(
  app: App,
  host: string,
  port: number,
  signal?: AbortSignal,
): Promise<RunningServer> {
  let listener: Promise<Listener> | undefined;
  const answering = new Map<ServerResponse, Promise<void>>();
  // Node's own answer to a request that lacks its `Host` says nothing.
  const options = { keepAliveTimeoutBuffer: LATE_CLIENT, requireHostHeader: false };
  const server = createServer(options, (request, response) => {
    const answered = new Promise<void>((resolve) => response.once("close", resolve));
    answering.set(response, answered);
    void answered.then(() => answering.delete(response));
    if (request.headers.host === undefined && request.httpVersion !== "1.0")
      return answerJson(response, 400, unreadBody("it has no Host"));
    listener ??= listenerOf(app).catch(() => {
      listener = undefined;
      return answerNotLoaded;
    });
    void listener.then((answer) => answer(request, response));
  });
  answerUnread(server, () => answering.keys());
  const address = await listen(server, { host, port, signal });
  return {
    url: `http://${hostInUrl(host)}:${address.port}`,
    close: async () => {
      await settleWithin([...answering.values()], LAST_ANSWERS);
      await closeServer(server);
    },
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

function answerNotLoaded(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503).end(`${NOT_LOADED}\n`);
}

function answerJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
}

async function listenerOf(app: App): Promise<Listener> {
  const { getRequestListener, RequestError } = await loadAdapter();
  return getRequestListener((...asked) => app.fetch(...asked), {
    // Only for a request without a `Host`, as HTTP/1.0 allows and health checks of load balancers may be.
    hostname: "localhost",
    errorHandler: (error) => {
      if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
      const headers = { "content-type": "application/json" };
      return new Response(unreadBody(error.message), { status: 400, headers });
    },
  });
}
