import http from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the server saw it. */
export type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
};

export type LocalServer = {
  readonly baseUrl: string;
  readonly seen: readonly Seen[];
  readonly close: () => Promise<void>;
};

export type Handler = (seen: Seen, response: http.ServerResponse) => void;

/** A real HTTP server on a free port of the loopback address. */
export async function startServer(handler: Handler, basePath = ""): Promise<LocalServer> {
  const seen: Seen[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const entry = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      seen.push(entry);
      handler(entry, response);
    });
  });
  // The default closes an idle connection after five seconds. If the one process of server and client stalls for
  // longer, the client's next request may be written to a connection that is closing, and fails as broken.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${basePath}`,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(response: http.ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
