import type { Action, ActionName } from "../domain/action.ts";
import { enableExchange } from "./enable-exchange.ts";
import { enablePair } from "./enable-pair.ts";
import { forceCancelOrder } from "./force-cancel-order.ts";

/** Every action, in the order of `ACTION_NAMES`. */
export const actions: readonly Action[] = [enableExchange, enablePair, forceCancelOrder];

export const actionsByName: ReadonlyMap<ActionName, Action> = new Map(
  actions.map((action) => [action.name, action]),
);
