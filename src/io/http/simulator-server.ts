import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SimulatorReply } from "../../simulator/routes/reply.ts";
import type { SimulatorRequest } from "../../simulator/routes/request.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import {
  closeServer,
  hostInUrl,
  listen,
  type ListenOptions,
  type RunningServer,
} from "./listen.ts";
import { pause } from "../process/pause.ts";

/** A thin shell over the simulator: it reads requests, and carries out delays and silences. */

export type SimulatorServerOptions = ListenOptions & { readonly simulator: Simulator };

/** Does something after a delay, unless the server is closed before. */
type Later = (delayMs: number, then: () => void) => Promise<void>;

/** The longest body that is read, in bytes. */
const BODY_CAP = 1024 * 1024;

/** Serves the simulator. Rejects if the port is taken. */
export async function startSimulatorServer(
  options: SimulatorServerOptions,
): Promise<RunningServer> {
  const closing = new AbortController();
  const later: Later = async (delayMs, then) => {
    if (await pause(delayMs, closing.signal)) then();
  };
  const server = createServer((incoming, outgoing) => {
    readBody(incoming).then(
      (body) => {
        if (body === undefined) return refuseLongBody(outgoing);
        const reply = options.simulator.handle(requestFrom(incoming, body));
        return carryOut(reply, outgoing, later);
      },
      // The client left before its request was complete: there is nothing to answer or log.
      () => outgoing.destroy(),
    );
  });
  const { address, port } = await listen(server, options);
  return {
    url: `http://${hostInUrl(address)}:${port}`,
    close: async () => {
      closing.abort();
      await closeServer(server);
    },
  };
}

/** The whole body, or undefined if it is longer than the cap; the rest is then read and dropped. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= BODY_CAP) chunks.push(chunk);
  }
  return length <= BODY_CAP ? Buffer.concat(chunks).toString("utf8") : undefined;
}

/** A proxy is asked with the whole address, which a server must take as well (RFC 9112, 3.2.2). */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

function requestFrom(incoming: IncomingMessage, body: string): SimulatorRequest {
  const target = pathOf(incoming.url ?? "/");
  const mark = target.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1));
  const headers = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return {
    // The headers of a GET: Node leaves the body out.
    method: incoming.method === "HEAD" ? "GET" : (incoming.method ?? "GET"),
    path: mark < 0 ? target : target.slice(0, mark),
    query: Object.fromEntries(query),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
  };
}

function carryOut(reply: SimulatorReply, outgoing: ServerResponse, later: Later): void {
  if (reply.outcome === "silent") {
    if (reply.closeAfterMs === 0) outgoing.destroy();
    else if (Number.isFinite(reply.closeAfterMs))
      void later(reply.closeAfterMs, () => outgoing.destroy());
    return;
  }
  const send = (): void => {
    const length = Buffer.byteLength(reply.body);
    outgoing.writeHead(reply.status, { ...reply.headers, "content-length": length });
    outgoing.end(reply.body);
  };
  if (reply.delayMs > 0) void later(reply.delayMs, send);
  else send();
}

function refuseLongBody(outgoing: ServerResponse): void {
  const error = { code: 9013, reason: `The body is longer than ${BODY_CAP} bytes.` };
  outgoing.writeHead(413, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ error, timestamp: new Date().toISOString() }));
}
