import { SECOND, type Instant } from "../../domain/time.ts";
import { round } from "./amounts.ts";
import { DEFAULT_WORLD } from "./default-world.ts";
import { addMarketOrder, addOrder } from "./orders.ts";
import { addressOf, fractionOf } from "./hash.ts";
import { between, seedRandom } from "./random.ts";
import { startOwnSwap } from "./swaps.ts";
import type { LiquidationPlan, WorldPlan } from "./world-plan.ts";
import { poolKey, schedule, type Exchange, type Market, type Order, type World } from "./world.ts";

/** About how long a liquidation order stays in one status, unless it is stuck. */
const LIQUIDATION_PACE = 30 * SECOND;

/** Builds the world at the simulator's start; keys that the plan omits are those of the default world. */
export function newWorld(plan: WorldPlan, seed: number, at: Instant): World {
  const full = { ...DEFAULT_WORLD, ...plan };
  const random = seedRandom(seed);
  const markets = new Map(full.pairs.map((pair) => [pair.name, market(pair)]));
  const world: World = {
    now: at,
    startedAt: at,
    random,
    sequence: 0,
    queue: [],
    network: full.network,
    settings: {
      background: full.background,
      repeatedToggle: full.repeated_toggle,
      needsSourceLock: full.needs_source_lock,
    },
    exchanges: new Map(full.exchanges.map((given) => [given.name, exchange(given, markets)])),
    markets,
    pools: new Map(full.pools.map((pool) => [poolKey(pool.factory, pool.pair), { ...pool }])),
    orders: new Map(),
    swaps: new Map(),
    sourceLocks: new Map(),
    brokers: full.brokers.map(({ address, balances }) => ({
      address,
      balances: new Map(Object.entries(balances)),
    })),
    senders: [...full.senders],
    flapping: new Map(),
  };
  for (const liquidation of full.liquidations) addLiquidation(world, liquidation);
  if (world.settings.background) beginBackground(world);
  return world;
}

function market(pair: Required<WorldPlan>["pairs"][number]): Market {
  const [base = "", quote = ""] = pair.name.split("-");
  return {
    name: pair.name,
    base,
    quote,
    anchor: pair.price,
    price: pair.price,
    volume: round((250_000 / pair.price) * (0.5 + fractionOf(`volume ${pair.name}`))),
    futures: pair.futures ?? false,
    pricePrecision: pair.price >= 100 ? 2 : 4,
  };
}

function exchange(
  given: Required<WorldPlan>["exchanges"][number],
  markets: ReadonlyMap<string, Market>,
): Exchange {
  const pairs = (given.pairs ?? [...markets.keys()]).filter((pair) => markets.has(pair));
  return { name: given.name, enabled: true, pairs: new Set(pairs), disabledPairs: new Set() };
}

/** What a plan leaves to the simulator, but whoever adds a liquidation order may give. */
type GivenOrder = {
  readonly owner?: string | undefined;
  readonly side?: Order["side"] | undefined;
  readonly price?: number | undefined;
};

export function addLiquidation(world: World, plan: LiquidationPlan & GivenOrder): void {
  const pair = plan.pair ?? [...world.markets.keys()][0] ?? "ETH-USDT";
  const exchanges = [...world.exchanges.values()].filter((one) => one.pairs.has(pair));
  addOrder(world, {
    id: plan.id,
    type: "liquidation",
    owner: plan.owner ?? addressOf(`owner ${plan.id}`),
    pair,
    side: plan.side ?? "SELL",
    amount: plan.amount ?? 10,
    price: plan.price ?? world.markets.get(pair)?.price ?? 1,
    exchanges: exchanges.slice(0, 1).map((one) => one.name),
    paceMs: LIQUIDATION_PACE,
    status: plan.status,
    stuck: plan.stuck,
  });
}

/** Starts the traffic of a running aggregator: orders, trades, and each sender's swaps. */
function beginBackground(world: World): void {
  for (let count = 0; count < 12; count += 1) addMarketOrder(world);
  schedule(world, { at: world.now + 5 * SECOND, kind: "trade", id: "" });
  schedule(world, { at: world.now + 10 * SECOND, kind: "market_order", id: "" });
  for (const sender of world.senders) planSwaps(world, sender);
}

/** Starts a swap of a sender, and schedules the next one, in 40 to 120 seconds. */
export function planSwaps(world: World, sender: string): void {
  startOwnSwap(world, { sender });
  schedule(world, {
    at: world.now + Math.round(between(world.random, 40, 120) * SECOND),
    kind: "new_swap",
    id: sender,
  });
}
