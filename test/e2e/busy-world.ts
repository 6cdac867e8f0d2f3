import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { startProgram } from "./start-demo.ts";
import { TOKEN, tokensFile } from "./tokens.ts";

/** A real daemon that watches as much as is promised, and in which much is wrong. */
export type BusyWorld = {
  readonly url: string;
  readonly stop: () => Promise<void>;
};

export const READER_TOKEN = "the-token-of-bob";
export const HOLDER_TOKEN = "the-token-of-carol";

export type Size = {
  readonly senders: number;
  readonly disabledPairs: number;
  /** The share of senders whose swap is another each time that it is read; none by default. */
  readonly changing?: number;
};

/** How the daemon is started with these arguments; from source, and unmeasured, by default. */
export type Starter = (paths: readonly string[]) => Promise<BusyWorld>;

const fromSource: Starter = async (paths) => {
  const { address, stop } = startProgram(["run", "--listen", "127.0.0.1:0", ...paths]);
  return { url: await address, stop: async () => void (await stop()) };
};

const EXCHANGES = 40;
const DISABLED = 6;
const OVERDUE_SWAPS = 20;
const POOLS = 60;

/** Names that a page must not be misled by. */
const HOSTILE = [
  `</td><script>alert("x")</script><img src=x onerror=alert(1)>`,
  "BIN\u0410NCE",
  "A\u202eB",
];

export async function startBusyWorld(size: Size, start = fromSource): Promise<BusyWorld> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-busy-"));
  const aggregator = await serveAggregator(size);
  const config = join(directory, "aggwatch.yaml");
  writeFileSync(config, configOf(aggregator.url, size.senders));
  writeFileSync(join(directory, "tokens.yaml"), tokens());
  mkdirSync(join(directory, "rules"));
  writeFileSync(join(directory, "rules/rules.yaml"), RULES);
  const paths = ["--config", config, "--data", join(directory, "data")];
  const rules = ["--rules", join(directory, "rules")];
  const clear = (): void => {
    aggregator.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const daemon = await start([...paths, ...rules]);
    const stop = async (): Promise<void> => {
      await daemon.stop();
      clear();
    };
    return { url: daemon.url, stop };
  } catch (error) {
    clear();
    throw error;
  }
}

function configOf(baseUrl: string, senders: number): string {
  return stringify({
    aggregators: [
      {
        name: "bsc-mainnet",
        base_url: baseUrl,
        rate: { requests_per_second: 1_000, concurrency: 32 },
        schedules: {
          exchanges: "*/2 * * * * *",
          pools: "*/3 * * * * *",
          swaps: "*/30 * * * * *",
          liquidations: "*/5 * * * * *",
        },
        watch: {
          senders: times(senders, (index) => ({
            address: addressOf(index),
            alias: `desk-${index}`,
          })),
          liquidations: times(2, (index) => ({
            id: hashOf(`order ${index}`),
            alias: `loan-${index}`,
          })),
        },
      },
    ],
    actions: { mode: "act", settle_after_start: "1s" },
    server: { tokens_file: "tokens.yaml" },
  });
}

const RULES = `groups:
  - name: all
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        labels: { severity: critical }
        annotations: { summary: An exchange is disabled., runbook_url: docs/runbooks/ExchangeDisabled.md }
        act: { action: enable_exchange, mode: shadow, cooldown: 1m, attempts: 3, verify_within: 30s, storm: { max: 9, max_ratio: 1.0, within: 10m }, budget: { max: 9, per: 1h } }
      - alert: PairDisabled
        each: pair
        when: pair.status == "disabled"
        labels: { severity: warning }
        annotations: { summary: A pair is disabled., runbook_url: docs/runbooks/PairDisabled.md }
      - alert: LiquidationStuck
        each: liquidation
        when: liquidation.open
        labels: { severity: critical }
        annotations: { summary: A liquidation order does not end., runbook_url: docs/runbooks/LiquidationStuck.md }
        act: { action: force_cancel_order, mode: propose, cooldown: 1m, attempts: 1, verify_within: 30s, storm: { max: 9, max_ratio: 1.0, within: 10m }, budget: { max: 9, per: 1h } }
      - alert: SwapOverdue
        each: swap
        when: swap.active && swap.expires < now
        labels: { severity: warning }
        annotations: { summary: A swap is past its end. }
      - alert: PoolLow
        each: pool
        when: pool.base < 100.0
        for: 1h
        labels: { severity: info }
        annotations: { summary: A pool holds little. }
`;

function tokens(): string {
  return tokensFile([
    { name: "alice", token: TOKEN, scopes: ["read", "operate", "approve"] },
    { name: "bob", token: READER_TOKEN, scopes: ["approve"] },
    { name: "carol", token: HOLDER_TOKEN, scopes: ["hold"] },
  ]);
}

/** An aggregator in this process, which answers at once, and slightly differently each time. */
async function serveAggregator(size: Size) {
  const started = Date.now();
  const answerTo = bodyOf.bind(undefined, size, started);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://loopback");
    const body = answerTo(pathname, searchParams);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? { error: { code: 9004, reason: "no such id" } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

function bodyOf(size: Size, started: number, path: string, query: URLSearchParams): unknown {
  const names = [...HOSTILE, ...times(EXCHANGES - HOSTILE.length, (index) => `EXCHANGE-${index}`)];
  switch (path) {
    case "/api/v1/exchange/list":
      return names.slice(DISABLED);
    case "/api/v1/exchange/disabled":
      return {
        exchanges: names.slice(0, DISABLED),
        pairs: times(size.disabledPairs, (index) => ({
          exchange: names[DISABLED + (index % 20)],
          assetPair: `A${index}-USDT`,
        })),
      };
    case "/api/v1/pools/reservations":
      return times(POOLS, (index) => {
        const base =
          index === 0 ? 50 : 1_000 + index + 20 * Math.sin((Date.now() - started) / 9_000 + index);
        return {
          factory: "OrionV2",
          pair: `T${index}-USDT`,
          a: base,
          p: 2_000,
          indicativePrice: 2_000 / base,
        };
      });
    case "/api/v1/order/liquidation": {
      const id = query.get("orderId") ?? "";
      return { orderId: id, order: { id, status: "ACCEPTED" } };
    }
    case "/api/v1/atomic-swap/history/current":
      return swapsOf(query.get("sender") ?? "", started, size.changing ?? 0);
    default:
      return [];
  }
}

function swapsOf(sender: string, started: number, changing: number): object[] {
  const index = Number.parseInt(sender.slice(-8), 16);
  const isOverdue = index < OVERDUE_SWAPS;
  const isChanging = (index % 100) / 100 < changing;
  const lockOrder = {
    secretHash: hashOf(sender),
    asset: "ORN",
    amount: 10.5 + (isChanging ? Date.now() - started : 0),
    expiration: started + (isOverdue ? -1 : 24) * 3_600_000,
    used: false,
    sourceNetworkCode: "BSC",
  };
  return [{ sender, status: "ACTIVE", creationTime: started - 7_200_000, lockOrder }];
}

function addressOf(index: number): string {
  return `0x${index.toString(16).padStart(40, "0")}`;
}

function hashOf(text: string): string {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
