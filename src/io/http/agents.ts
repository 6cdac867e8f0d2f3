import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Millis } from "../../domain/time.ts";
import type { OpenProxy, OpenRoute } from "./route.ts";
import { noteBreaks } from "./tls-breaks.ts";
import { openTunnel } from "./tunnel.ts";
import { withinTime, type ConnectLimits } from "./within-time.ts";

export type AgentOptions = {
  readonly keepAlive: boolean;
  readonly connections: number;
  readonly connectMs: Millis;
  readonly route: OpenRoute;
};

export type Agents = {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** Closes the connections, and gives up those that are being made. */
  readonly close: () => void;
};

/** Agents that connect by a route. Certificates are always verified, even if the environment says otherwise. */
export function createAgents({ keepAlive, connections, connectMs, route }: AgentOptions): Agents {
  const closing = new AbortController();
  const shared = { keepAlive, maxSockets: connections };
  const agents = {
    http: new http.Agent(shared),
    https: new https.Agent({ ...shared, ...route.tls, rejectUnauthorized: true }),
  };
  noteBreaks(agents.https);
  const { proxy } = route;
  if (proxy !== undefined) {
    const limits = { connectMs, signal: closing.signal };
    // It speaks TLS over a given socket, which the types lack.
    const secure = agents.https.createConnection.bind(agents.https) as (options: object) => Duplex;
    goThrough(proxy, agents.http, limits, (_, tunnel) => Promise.resolve(tunnel));
    goThrough(proxy, agents.https, limits, (options, socket) =>
      shakeHands(secure({ ...options, socket }), limits),
    );
  }
  return {
    ...agents,
    close: () => {
      closing.abort();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type CreateConnection = http.Agent["createConnection"];

/** Puts each connection of an agent into a tunnel; `within` turns the tunnel into the stream to write to. */
function goThrough(
  proxy: OpenProxy,
  agent: http.Agent,
  limits: ConnectLimits,
  within: (options: Parameters<CreateConnection>[0], tunnel: Socket) => Promise<Duplex>,
): void {
  agent.createConnection = (options, onCreated) => {
    const target = { host: options.host ?? "localhost", port: Number(options.port) };
    openTunnel(proxy, target, limits)
      .then((tunnel) => within(options, tunnel))
      .then(
        (socket) => onCreated?.(null, socket),
        // The type wants a connection, and there is none.
        (error: Error) => onCreated?.(error, undefined as never),
      );
    return undefined;
  };
}

/** Resolves once the server's certificate is verified: nothing is written before. */
function shakeHands(secured: Duplex, limits: ConnectLimits): Promise<Duplex> {
  const late = "the TLS handshake through the proxy takes too long; the URL, or proxy.url";
  return withinTime<Duplex>({ ...limits, late }, (resolve, refuse) => {
    secured.once("secureConnect", () => {
      secured.off("error", refuse);
      resolve(secured);
    });
    secured.once("error", refuse);
    return () => secured.destroy();
  });
}
