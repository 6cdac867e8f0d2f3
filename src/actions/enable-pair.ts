import type { Action } from "../domain/action.ts";
import { canBeToggled } from "./nameable.ts";

/** Pairs are seen only while they are disabled, so absence from a complete listing is the aim. */
export const enablePair = {
  name: "enable_pair",
  kind: "pair",
  means: "Enables a disabled pair on an exchange.",
  irreversible: false,
  call: ({ facts }) => {
    const { exchange, asset_pair: assetPair } = facts;
    if (typeof exchange !== "string" || typeof assetPair !== "string") return undefined;
    if (!canBeToggled([exchange, assetPair])) return undefined;
    return { endpoint: "enablePair", args: { exchange, assetPair } };
  },
  aim: (entity) => (entity === undefined ? "reached" : "open"),
} as const satisfies Action;
