import type { Simulator } from "../../src/simulator/simulator.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import { startServer, type LocalServer, type Seen } from "../io/local-server.ts";

/** How a deployment differs from the defaults: what it makes of a request, and of a reply. */
export type Dialect = {
  readonly basePath?: string;
  /** The path and query that the simulator knows for those that this deployment is asked; or an answer of its own. */
  readonly ask?: (path: string, seen: Seen) => string | OwnAnswer;
  readonly say?: (body: unknown, path: string) => unknown;
};

export type OwnAnswer = {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const [OWNER] = DEFAULT_SENDERS;
const ORDERS = [
  ["spot", `0x${"a1".repeat(32)}`],
  ["futures", `0x${"a2".repeat(32)}`],
] as const;

/** A simulated aggregator behind a server that speaks a dialect. */
export async function startDeployment({ basePath = "", ask, say }: Dialect): Promise<LocalServer> {
  const simulator: Simulator = createSimulator({ seed: 1, clock: { now: () => Date.now() } });
  simulator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  for (const [type, id] of ORDERS)
    simulator.control({ do: "add_order", type, id, owner: OWNER, status: "NEW", stuck: true });
  return await startServer((seen, response) => {
    const asked = seen.url.startsWith(basePath) ? seen.url.slice(basePath.length) : "/nothing";
    const known = ask === undefined ? asked : ask(asked, seen);
    if (typeof known !== "string") {
      response.writeHead(known.status, known.headers ?? {}).end(known.body);
      return;
    }
    const [path = "", query = ""] = known.split("?");
    const reply = simulator.handle({
      method: seen.method,
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: {},
      body: seen.body,
    });
    if (reply.outcome === "silent") throw new Error("the simulator was told to be silent");
    const isSaidOtherwise = reply.status === 200 && say !== undefined;
    const body = isSaidOtherwise ? JSON.stringify(say(JSON.parse(reply.body), path)) : reply.body;
    response.writeHead(reply.status, { "content-type": "application/json" }).end(body);
  }, basePath);
}

/** A config that watches something of everything. */
export function configFor(baseUrl: string, more = ""): string {
  return [
    "aggregators:",
    "  - name: here",
    `    base_url: ${baseUrl}`,
    "    watch:",
    `      senders: ["${DEFAULT_SENDERS[0]}"]`,
    `      liquidations: ["${DEFAULT_LIQUIDATIONS[0]}"]`,
    "      orders:",
    ...ORDERS.map(
      ([market, id]) => `        - { market: ${market}, id: "${id}", owner: "${OWNER}" }`,
    ),
    more,
  ].join("\n");
}

/** Gives an object other keys, one level deep. */
export function renamed(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [names[key] ?? key, item]));
}
