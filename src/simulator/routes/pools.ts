import * as z from "zod";
import type { Json } from "../../domain/result.ts";
import { answer, refuse, type Answer } from "./answer.ts";
import { round } from "../model/amounts.ts";
import { estimate, findPool, poolPrice } from "../model/pools.ts";
import { read, withBody, type Route } from "./routes.ts";
import type { Pool, World } from "../model/world.ts";

/** The pools area. The interface's `reservations` are `reserves` in the public SDK. */

const estimationBody = z.object({
  /** In units of the base asset. */
  amount: z.number().positive().max(1e15),
  side: z.enum(["BUY", "SELL"]),
});

function reservesView(pool: Pool): { readonly [key: string]: Json } {
  return { a: pool.base, p: pool.quote, indicativePrice: round(poolPrice(pool)) };
}

function withPool(world: World, args: readonly string[], then: (pool: Pool) => Answer): Answer {
  const [factory = "", pair = ""] = args;
  const pool = findPool(world, factory, pair);
  return pool === undefined
    ? refuse(404, "pool_not_found", `The factory ${factory} has no pool of ${pair}.`)
    : then(pool);
}

/** Pools with too little are left out. */
const estimations = withBody(estimationBody, ({ side, amount }, { world }) =>
  answer(
    [...world.pools.values()].flatMap((pool) => {
      const estimation = estimate(pool, side, amount);
      const { factory, pair } = pool;
      return estimation === undefined ? [] : [{ factory, pair, estimation }];
    }),
  ),
);

const poolEstimation: Route["handle"] = (context) =>
  withPool(context.world, context.args, (pool) =>
    withBody(estimationBody, ({ side, amount }) => {
      const estimation = estimate(pool, side, amount);
      return estimation === undefined
        ? refuse(422, "beyond_reserve", `The pool has only ${pool.base} of the base asset.`)
        : answer({ estimation });
    })(context),
  );

const reserves: Route["handle"] = ({ world }) =>
  answer(
    [...world.pools.values()].map((pool) =>
      Object.assign({ factory: pool.factory, pair: pool.pair }, reservesView(pool)),
    ),
  );

const poolReserves: Route["handle"] = ({ world, args }) =>
  withPool(world, args, (pool) => answer(reservesView(pool)));

const AREA = "/api/v1/pools";
const RESERVES = [`${AREA}/reservations`, `${AREA}/reserves`];
const POOL = "{factory}/{pair}";
const POOL_RESERVES = RESERVES.map((path) => `${path}/${POOL}`);

export const poolRoutes: readonly Route[] = [
  read("reserves", "GET", RESERVES, [], reserves),
  read("poolReserves", "GET", POOL_RESERVES, {}, poolReserves),
  read("estimations", "POST", `${AREA}/estimation`, [], estimations),
  read("poolEstimation", "POST", `${AREA}/estimation/${POOL}`, {}, poolEstimation),
];
