import { exchangeRoutes } from "./exchanges.ts";
import { orderRoutes } from "./orders.ts";
import { pairRoutes } from "./pairs.ts";
import { poolRoutes } from "./pools.ts";
import { swapRoutes } from "./swaps.ts";
import type { Route } from "./routes.ts";

/** Every endpoint of the interface. */
export const ROUTES: readonly Route[] = [
  ...orderRoutes,
  ...exchangeRoutes,
  ...pairRoutes,
  ...poolRoutes,
  ...swapRoutes,
];

export const ENDPOINT_NAMES: readonly string[] = ROUTES.map((route) => route.name);
