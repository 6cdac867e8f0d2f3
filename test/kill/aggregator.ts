import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * An aggregator of this test's own, after the description of the interface alone: it shares no line with the
 * simulator, so that a misreading that simulator and daemon have in common shows. Its log is the judge.
 */
export type Phase = "received" | "applied" | "answered";

export type Request = { readonly at: number; readonly method: string; readonly path: string };

export type KillAggregator = {
  readonly url: string;
  readonly log: readonly Request[];
  readonly disableExchange: (name: string) => void;
  readonly disablePair: (exchange: string, pair: string) => void;
  /** Exchanges, and pairs as `EXCHANGE/PAIR`. */
  readonly disabled: () => readonly string[];
  /** Told of every request, at once: a kill in it comes before anything else happens. */
  hear: (phase: Phase, request: Request) => void;
  readonly close: () => Promise<void>;
};

const EXCHANGES = [
  "ASCENDEX",
  "BINANCE",
  "CURVE",
  "KUCOIN",
  "OKX",
  "ORION_POOL",
  "PANCAKESWAP",
  "UNISWAP",
];

type Reply = { readonly status: number; readonly body: unknown };

const refused = (status: number, reason: string): Reply => ({
  status,
  body: { error: { code: status, reason }, timestamp: new Date().toISOString() },
});

/** The one swap of a sender. */
function swapOf(sender: string): object {
  const secretHash = `0x${sender.slice(2).padStart(64, "c")}`;
  const lockOrder = { secretHash, asset: "ETH", amount: 1, expiration: NEVER, used: false };
  return { sender, status: "ACTIVE", creationTime: BEGAN, lockOrder };
}

const BEGAN = Date.UTC(2026, 0, 1);
const NEVER = Date.UTC(2090, 0, 1);

export async function startKillAggregator(key: string): Promise<KillAggregator> {
  const disabled = new Set<string>();
  const log: Request[] = [];
  const toggle = (names: readonly string[]): Reply => {
    if (!EXCHANGES.includes(names[0] ?? "")) return refused(404, "no such exchange");
    disabled.delete(names.join("/"));
    return { status: 200, body: {} };
  };
  const answer = (request: IncomingMessage, path: string, sender: string | null): Reply => {
    if (request.method === "GET" && path === "/api/v1/atomic-swap/history/current")
      return sender === null ? refused(400, "whose?") : { status: 200, body: [swapOf(sender)] };
    const [, api, version, area, what, ...names] = path.split("/").map(decodeURIComponent);
    if (`${api}/${version}/${area}` !== "api/v1/exchange") return refused(404, "no such path");
    if (request.method === "POST" && what === "toggle" && names.length >= 1 && names.length <= 2)
      return request.headers["x-api-key"] === key ? toggle(names) : refused(401, "who are you?");
    if (request.method !== "GET" || names.length > 0) return refused(405, "not that way");
    const [exchanges, pairs] = [false, true].map((isPair) =>
      [...disabled].filter((one) => one.includes("/") === isPair),
    );
    if (what === "list")
      return { status: 200, body: EXCHANGES.filter((one) => !disabled.has(one)) };
    if (what !== "disabled") return refused(404, "no such path");
    const listed = pairs?.map((one) => {
      const [exchange, assetPair] = one.split("/");
      return { exchange, assetPair };
    });
    return { status: 200, body: { exchanges, pairs: listed } };
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = "", url = "" } = incoming;
    const request = { at: Date.now(), method, path: url.replace(/\?.*/, "") };
    log.push(request);
    aggregator.hear("received", request);
    const { status, body } = answer(
      incoming,
      request.path,
      new URL(url, "http://a").searchParams.get("sender"),
    );
    aggregator.hear("applied", request);
    outgoing.writeHead(status, { "content-type": "application/json" });
    outgoing.end(JSON.stringify(body), () => aggregator.hear("answered", request));
  };
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const aggregator: KillAggregator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    disableExchange: (name) => void disabled.add(name),
    disablePair: (exchange, pair) => void disabled.add(`${exchange}/${pair}`),
    disabled: () => [...disabled],
    hear: () => undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
  return aggregator;
}
