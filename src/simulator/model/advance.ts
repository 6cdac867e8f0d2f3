import { SECOND, type Instant } from "../../domain/time.ts";
import { planSwaps } from "./new-world.ts";
import { addMarketOrder, advanceOrder, expireOrder } from "./orders.ts";
import { tradeInBackground } from "./pools.ts";
import { between } from "./random.ts";
import { advanceSwap, expireSwap, rebalance } from "./swaps.ts";
import { schedule, type Task, type World } from "./world.ts";

/**
 * Runs every task that is due by an instant. If the instant is in the past, time stands still. Ten calls of one second
 * give the same world as one call of ten. `runStep` runs the scenario's step with that index.
 */
export function advance(world: World, to: Instant, runStep: (index: number) => void): void {
  for (;;) {
    const task = world.queue[0];
    if (task === undefined || task.at > to) break;
    world.queue.shift();
    world.now = Math.max(world.now, task.at);
    perform(world, task, runStep);
  }
  world.now = Math.max(world.now, to);
}

function perform(world: World, task: Task, runStep: (index: number) => void): void {
  switch (task.kind) {
    case "order":
      return advanceOrder(world, task.id, task.change);
    case "order_expiry":
      return expireOrder(world, task.id, task.change);
    case "swap":
      return advanceSwap(world, task.id, task.change);
    case "swap_expiry":
      return expireSwap(world, task.id, task.change);
    case "rebalance":
      return rebalance(world, task.id, task.amount ?? 0);
    case "flap":
      return flap(world, task.id, task.change);
    case "new_swap":
      return planSwaps(world, task.id);
    case "trade":
      tradeInBackground(world);
      return repeat(world, "trade", 5 * SECOND);
    case "market_order":
      addMarketOrder(world);
      return repeat(world, "market_order", Math.round(between(world.random, 8, 20) * SECOND));
    case "step":
      return runStep(Number(task.id));
  }
}

function repeat(world: World, kind: Task["kind"], afterMs: number): void {
  schedule(world, { at: world.now + afterMs, kind, id: "" });
}

/** Disables a flapping exchange again if it was enabled. */
function flap(world: World, name: string, change: number): void {
  const flapping = world.flapping.get(name);
  const exchange = world.exchanges.get(name);
  if (flapping === undefined || exchange === undefined || flapping.change !== change) return;
  if (exchange.enabled) flapping.left -= 1;
  exchange.enabled = false;
  if (flapping.left <= 0) world.flapping.delete(name);
  else schedule(world, { at: world.now + flapping.everyMs, kind: "flap", id: name, change });
}
