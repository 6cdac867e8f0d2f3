import { between, nextRandom, pick } from "./random.ts";
import { round } from "./amounts.ts";
import { poolKey, type Market, type Pool, type Side, type World } from "./world.ts";

/** Constant-product pools: a trade keeps base × quote, except for the fee, which stays in the pool. */

const FEE = 0.003;
/** The largest share of a reserve that one background trade moves. */
const LARGEST_TRADE = 0.004;

/** The price of one unit of the base asset, in units of the quote asset; 0 for an empty pool. */
export function poolPrice(pool: Pool): number {
  return pool.base === 0 ? 0 : pool.quote / pool.base;
}

/**
 * The quote asset that a trade of this amount of base asset would give (SELL) or cost (BUY). Undefined if the pool has
 * too little.
 */
export function estimate(pool: Pool, side: Side, amount: number): number | undefined {
  if (pool.base <= 0 || pool.quote <= 0) return undefined;
  if (side === "SELL") {
    const taken = amount * (1 - FEE);
    return round((pool.quote * taken) / (pool.base + taken));
  }
  if (amount >= pool.base) return undefined;
  const cost = round((pool.quote * amount) / (pool.base - amount) / (1 - FEE));
  return Number.isFinite(cost) ? cost : undefined;
}

/** Trades at the price of `estimate`; does nothing if the pool has too little. */
export function tradeInPool(pool: Pool, side: Side, amount: number): void {
  const quote = estimate(pool, side, amount);
  if (quote === undefined) return;
  pool.base = round(side === "SELL" ? pool.base + amount : pool.base - amount);
  pool.quote = round(side === "SELL" ? pool.quote - quote : pool.quote + quote);
}

/**
 * Makes one trade in a random pool. The further the pool's price is from the market's anchor, the likelier the trade
 * brings it back, so that reserves drift a little and never run away.
 */
export function tradeInBackground(world: World): void {
  const pool = pick(world.random, [...world.pools.values()]);
  const roll = nextRandom(world.random);
  const share = between(world.random, 0.0005, LARGEST_TRADE);
  walkPrices(world);
  const market = pool === undefined ? undefined : world.markets.get(pool.pair);
  if (pool === undefined || market === undefined) return;
  const above = poolPrice(pool) / market.anchor - 1;
  const selling = 0.5 + Math.max(-0.5, Math.min(0.5, above * 10));
  tradeInPool(pool, roll < selling ? "SELL" : "BUY", pool.base * share);
  market.price = round(poolPrice(pool));
  market.volume = round(market.volume * 0.9995 + pool.base * share);
}

/** Moves the price of a random pair, if no pool has it: a random walk that is drawn back to its start. */
function walkPrices(world: World): void {
  const market: Market | undefined = pick(world.random, [...world.markets.values()]);
  const step = between(world.random, -0.002, 0.002);
  if (market === undefined || [...world.pools.values()].some((pool) => pool.pair === market.name))
    return;
  market.price = round(market.price * (1 + step) + (market.anchor - market.price) * 0.02);
  market.volume = round(market.volume * (1 + step));
}

export function findPool(world: World, factory: string, pair: string): Pool | undefined {
  return world.pools.get(poolKey(factory, pair));
}
