import * as z from "zod";
import type { Json } from "../../domain/result.ts";
import { answer, refuse, round } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { estimate, findPool, poolPrice } from "../model/pools.ts";
import { readBody } from "./request.ts";
import type { Route } from "./routes.ts";
import type { Pool, World } from "../model/world.ts";

/** The pools area. `reserves` is how the public SDK spells the interface's `reservations`. */

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

/** Pools that have not so much are left out. */
const estimations: Route["handle"] = ({ world, request }) => {
  const body = readBody(request, estimationBody);
  if (!body.ok) return body.problem;
  return answer(
    [...world.pools.values()].flatMap((pool) => {
      const estimation = estimate(pool, body.value.side, body.value.amount);
      const { factory, pair } = pool;
      return estimation === undefined ? [] : [{ factory, pair, estimation }];
    }),
  );
};

const poolEstimation: Route["handle"] = ({ world, args, request }) =>
  withPool(world, args, (pool) => {
    const body = readBody(request, estimationBody);
    if (!body.ok) return body.problem;
    const estimation = estimate(pool, body.value.side, body.value.amount);
    return estimation === undefined
      ? refuse(422, "beyond_reserve", `The pool has only ${pool.base} of the base asset.`)
      : answer({ estimation });
  });

const AREA = "/api/v1/pools";

export const poolRoutes: readonly Route[] = [
  {
    name: "reserves",
    method: "GET",
    paths: [`${AREA}/reservations`, `${AREA}/reserves`],
    empty: [],
    handle: ({ world }) =>
      answer(
        [...world.pools.values()].map((pool) =>
          Object.assign({ factory: pool.factory, pair: pool.pair }, reservesView(pool)),
        ),
      ),
  },
  {
    name: "poolReserves",
    method: "GET",
    paths: [`${AREA}/reservations/{factory}/{pair}`, `${AREA}/reserves/{factory}/{pair}`],
    empty: {},
    handle: ({ world, args }) => withPool(world, args, (pool) => answer(reservesView(pool))),
  },
  {
    name: "estimations",
    method: "POST",
    paths: [`${AREA}/estimation`],
    empty: [],
    handle: estimations,
  },
  {
    name: "poolEstimation",
    method: "POST",
    paths: [`${AREA}/estimation/{factory}/{pair}`],
    empty: {},
    handle: poolEstimation,
  },
];
