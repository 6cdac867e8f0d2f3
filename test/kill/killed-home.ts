import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../acceptance/daemon.ts";
import type { Budget } from "./audit.ts";

/** The settings and rules of the daemons that are killed, and what is disabled under them. */

export const BUDGETS = {
  ExchangeDisabled: { max: 4, perMs: 5_000 },
  PairDisabled: { max: 3, perMs: 5_000 },
  global: { max: 5, perMs: 5_000 },
} as const satisfies Record<string, Budget>;

/** It is disabled from the start to the end, and its rule does not act on it. */
export const WITNESS = "CURVE";
export const VICTIMS = [
  "BINANCE",
  "KUCOIN",
  "OKX",
  "ASCENDEX",
  "ORION_POOL",
  "PANCAKESWAP",
  "UNISWAP",
];
export const PAIRS = [
  { exchange: "BINANCE", pair: "ORN-USDT" },
  { exchange: "OKX", pair: "BTC-USDT" },
  { exchange: "UNISWAP", pair: "ETH-USDT" },
];

const acting = (action: string, { max, perMs }: Budget): string =>
  `{ action: ${action}, mode: act, cooldown: 1s, attempts: 6, verify_within: 2s, budget: { max: ${max}, per: ${perMs / 1_000}s }, storm: { max: 100, max_ratio: 1 }`;

const RULES = `
groups:
  - name: kills
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        act: ${acting("enable_exchange", BUDGETS.ExchangeDisabled)}, if: 'exchange.name != "${WITNESS}"' }
      - alert: PairDisabled
        each: pair
        when: pair.status == "disabled"
        act: ${acting("enable_pair", BUDGETS.PairDisabled)} }
`;

/** Each has one swap, which is active all the time. */
export const SENDERS = Array.from(
  { length: 12 },
  (_, index) => `0x${(index + 1).toString(16).padStart(40, "b")}`,
);
/** Of the aggregator, if senders are watched. */
export const REQUESTS_PER_SECOND = 40;

const SWAP_RULE = `
      - alert: SwapActive
        each: swap
        when: swap.active
        for: 2s
`;

const watching = (senders: readonly string[]): string => `
    rate: { requests_per_second: ${REQUESTS_PER_SECOND}, concurrency: 20 }
    watch: { senders: [${senders.map((address) => `{ address: "${address}" }`).join(", ")}] }`;

const configOf = (url: string, senders: readonly string[]): string => `
aggregators:
  - name: sim
    base_url: ${url}
    auth: { act: { type: header, name: X-API-KEY, value_env: ACT_KEY } }
    timeout: 2s
    retries: 0
    schedules: { exchanges: "* * * * * *", liquidations: off, pools: off, swaps: ${senders.length > 0 ? '"*/2 * * * * *"' : "off"}, swap_history: off }${senders.length > 0 ? watching(senders) : ""}
actions:
  mode: act
  settle_after_start: 0s
  budget: { max: ${BUDGETS.global.max}, per: ${BUDGETS.global.perMs / 1_000}s }
  undo_window: 1s
  undo_limit: 100
notify: { webhooks: [{ name: hook, url_env: HOOK_URL, tells: [alerts] }] }
log: { level: info, format: json }
`;

export function homeIn(directory: string, url: string, senders: readonly string[] = []): Home {
  const data = join(directory, "data");
  const home = {
    config: join(directory, "aggwatch.yaml"),
    rules: join(directory, "rules"),
    data,
    killFile: join(data, "KILL"),
  };
  mkdirSync(home.rules);
  writeFileSync(home.config, configOf(url, senders));
  writeFileSync(
    join(home.rules, "rules.yaml"),
    RULES.trimEnd() + (senders.length > 0 ? SWAP_RULE : "\n"),
  );
  return home;
}
