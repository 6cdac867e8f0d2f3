import type { Action } from "../domain/action.ts";
import { callOf } from "./call.ts";

/** Pairs are seen only while they are disabled, so absence from a complete listing is the aim. */
export const enablePair = {
  name: "enable_pair",
  kind: "pair",
  means: "Enables a disabled pair on an exchange.",
  irreversible: false,
  call: ({ facts: { exchange, asset_pair: assetPair } }) =>
    callOf("enablePair", { exchange, assetPair }),
  aim: (entity) => (entity === undefined ? "reached" : "open"),
} as const satisfies Action;
