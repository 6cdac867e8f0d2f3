import { z } from "zod";
import { amount, listing, name, nameWithoutSlash } from "./fields.ts";

/** `pools/estimation/{factory}/{pair}`: the shape is our assumption. */
export const poolEstimationSchema = z.object({ estimation: amount }, "an estimation");

/** `pools/estimation`: a pool for which nothing can be estimated may be absent. */
export const estimationsSchema = listing(
  z.object({ factory: nameWithoutSlash, pair: name, estimation: amount }, "a pool's estimation"),
  "a list of estimations",
  (pool) => `${pool.factory}/${pool.pair}`,
);
