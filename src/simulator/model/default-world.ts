import { digest } from "./hash.ts";
import type { WorldPlan } from "./world-plan.ts";

/** The default world: it looks like a small real deployment on BSC, and nothing is wrong in it. */

/** Fixed, so that a watchdog's config can name them. */
export const DEFAULT_SENDERS = [
  "0x8a0c1d5f3b7e92460d1f8b3a5c7e9f0b2d4a6c81",
  "0x4b1f6e8d2c3a5970b8e6d4f2a1c3e5b7d9f0a283",
  "0xc3d5e7f9a1b2c4d6e8f0a2b4c6d8e0f1a3b5c7d9",
] as const;

export const DEFAULT_LIQUIDATIONS = [digest("liquidation 1"), digest("liquidation 2")] as const;

const MAJORS = ["BTC-USDT", "ETH-USDT", "BNB-USDT", "MATIC-USDT", "AVAX-USDT", "FTM-USDT"];

export const DEFAULT_WORLD: Required<WorldPlan> = {
  network: "BSC",
  exchanges: [
    { name: "BINANCE", pairs: [...MAJORS, "ORN-USDT", "CAKE-USDT", "USDC-USDT"] },
    { name: "KUCOIN", pairs: [...MAJORS, "ORN-USDT", "USDC-USDT"] },
    { name: "OKX", pairs: [...MAJORS, "USDC-USDT"] },
    { name: "ASCENDEX", pairs: ["BTC-USDT", "ETH-USDT", "ORN-USDT"] },
    { name: "ORION_POOL", pairs: ["ORN-USDT", "BNB-ORN", "BNB-USDT"] },
    { name: "PANCAKESWAP", pairs: ["BNB-USDT", "CAKE-USDT"] },
    { name: "UNISWAP", pairs: ["ETH-USDT", "USDC-USDT"] },
    { name: "CURVE", pairs: ["USDC-USDT"] },
  ],
  pairs: [
    { name: "ORN-USDT", price: 0.52 },
    { name: "BTC-USDT", price: 67_250, futures: true },
    { name: "ETH-USDT", price: 3_200, futures: true },
    { name: "BNB-USDT", price: 600, futures: true },
    { name: "MATIC-USDT", price: 0.6 },
    { name: "AVAX-USDT", price: 30 },
    { name: "FTM-USDT", price: 0.5 },
    { name: "CAKE-USDT", price: 2.4 },
    { name: "BNB-ORN", price: 1_153.8462 },
    { name: "USDC-USDT", price: 1 },
  ],
  pools: [
    { factory: "OrionV2", pair: "ORN-USDT", base: 1_250_000, quote: 650_000 },
    { factory: "OrionV2", pair: "BNB-ORN", base: 410, quote: 473_076.922 },
    { factory: "OrionV3", pair: "BNB-USDT", base: 900, quote: 540_000 },
    { factory: "UniswapV2", pair: "ETH-USDT", base: 1_500, quote: 4_800_000 },
    { factory: "UniswapV2", pair: "CAKE-USDT", base: 300_000, quote: 720_000 },
    { factory: "UniswapV3", pair: "ETH-USDT", base: 2_200, quote: 7_040_000 },
    { factory: "Curve", pair: "USDC-USDT", base: 9_000_000, quote: 9_000_000 },
  ],
  senders: [...DEFAULT_SENDERS],
  liquidations: [
    { id: DEFAULT_LIQUIDATIONS[0], pair: "ETH-USDT", amount: 3.5 },
    { id: DEFAULT_LIQUIDATIONS[1], pair: "BNB-USDT", amount: 42 },
  ],
  brokers: [
    {
      address: "0x1b0a3c5e7d9f1b3d5f7a9c1e3d5b7f9a1c3e5d70",
      balances: { BNB: 400, ETH: 60, AVAX: 2_500, MATIC: 90_000 },
    },
    {
      address: "0x2c1b4d6f8e0a2c4e6f8b0d2f4e6c8a0b2d4f6e81",
      balances: { BNB: 250, ETH: 25, FTM: 120_000 },
    },
    { address: "0x3d2c5e7a9f1b3d5f7a9c1e3a5f7d9b1c3e5a7f92", balances: { BNB: 120, OKT: 4_000 } },
  ],
  background: true,
  repeated_toggle: "ok",
  needs_source_lock: false,
};
