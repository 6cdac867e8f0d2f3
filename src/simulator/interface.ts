import { exchangeRoutes } from "./routes-exchanges.ts";
import { orderRoutes } from "./routes-orders.ts";
import { pairRoutes } from "./routes-pairs.ts";
import { poolRoutes } from "./routes-pools.ts";
import { swapRoutes } from "./routes-swaps.ts";
import type { Route } from "./routes.ts";

/** Every endpoint of the interface: 31 method-and-path pairs. */
export const ROUTES: readonly Route[] = [
  ...orderRoutes,
  ...exchangeRoutes,
  ...pairRoutes,
  ...poolRoutes,
  ...swapRoutes,
];

export const ENDPOINT_NAMES: readonly string[] = ROUTES.map((route) => route.name);
