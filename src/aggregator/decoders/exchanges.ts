import { z } from "zod";
import { listing, name, nameWithoutSlash } from "./fields.ts";

/** `exchange/list`: names of the accessible exchanges (wire shape shown by a public client). */
export const exchangesSchema = listing(
  nameWithoutSlash,
  "a list of exchange names",
  (text) => text,
);

/** `exchange/disabled`: the shape is our assumption. */
export const disabledSchema = z.object(
  {
    exchanges: listing(nameWithoutSlash, "a list of exchange names", (text) => text),
    pairs: listing(
      z.object({ exchange: nameWithoutSlash, assetPair: name }, "an object"),
      "a list of disabled pairs",
      (pair) => `${pair.exchange}/${pair.assetPair}`,
    ),
  },
  "an object with exchanges and pairs",
);

export type Disabled = z.infer<typeof disabledSchema>;

/** `pairs/list`: names of all pairs. */
export const pairsSchema = listing(name, "a list of pair names", (text) => text);
