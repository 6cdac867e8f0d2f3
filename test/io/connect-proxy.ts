import http from "node:http";
import net, { type Socket } from "node:net";
import { closing, listening } from "./tls-front.ts";

/** A tunnel that was asked for. */
export type Asked = { readonly authority: string; readonly authorization: string | undefined };

export type ConnectProxy = {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Every byte that it could read of what clients sent through it. */
  readonly carried: () => string;
  readonly close: () => Promise<void>;
};

export type ProxyOptions = {
  /** `user:password` that it demands. */
  readonly demands?: string;
  /** What it answers instead of making a tunnel: a status, a text as it is, or (`null`) nothing at all. */
  readonly answers?: number | string | null;
};

/** A real HTTP proxy that makes tunnels, as squid does. */
export async function startProxy({ demands, answers }: ProxyOptions = {}): Promise<ConnectProxy> {
  const asked: Asked[] = [];
  const carried: Buffer[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const server = http.createServer((request, response) => {
    carried.push(Buffer.from(`${request.method} ${request.url} ${request.rawHeaders.join(" ")}`));
    response.writeHead(400).end();
  });
  server.on("connection", keep);
  server.on("connect", (request, client: Socket) => {
    const { "proxy-authorization": authorization } = request.headers;
    const authority = request.url ?? "";
    asked.push({ authority, authorization });
    carried.push(Buffer.from(request.rawHeaders.join(" ")));
    if (answers === null) return;
    if (typeof answers === "string") return void client.end(answers);
    const wanted = demands && `Basic ${Buffer.from(demands).toString("base64")}`;
    const status = answers ?? (wanted !== undefined && wanted !== authorization ? 407 : undefined);
    if (status !== undefined) return void client.end(`HTTP/1.1 ${status} No\r\n\r\nsecret body`);
    const { hostname, port } = new URL(`http://${authority}`);
    const server = net.connect(Number(port || 80), hostname, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.on("data", (chunk: Buffer) => carried.push(chunk));
      client.pipe(server).pipe(client);
    });
    keep(server);
    server.on("close", () => client.destroy());
    client.on("close", () => server.destroy());
  });
  const port = await listening(server);
  return {
    host: "127.0.0.1",
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    carried: () => Buffer.concat(carried).toString("latin1"),
    close: () => closing(server, sockets),
  };
}
