import type { Action } from "../domain/action.ts";
import { callOf } from "./call.ts";

/** Reached only when the exchange is gone from the disabled listing and back in the list. */
export const enableExchange = {
  name: "enable_exchange",
  kind: "exchange",
  means: "Enables a disabled exchange.",
  irreversible: false,
  call: ({ facts: { name } }) => callOf("enableExchange", { exchange: name }),
  // The poller says `enabled` only of an exchange that is listed and not listed as disabled.
  aim: (entity) => (entity?.facts["status"] === "enabled" ? "reached" : "open"),
} as const satisfies Action;
