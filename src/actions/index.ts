import { ACTION_NAMES, type Action, type ActionName } from "../domain/action.ts";
import { enableExchange } from "./enable-exchange.ts";
import { enablePair } from "./enable-pair.ts";
import { forceCancelOrder } from "./force-cancel-order.ts";

const ACTIONS: { readonly [Name in ActionName]: Action & { readonly name: Name } } = {
  enable_exchange: enableExchange,
  enable_pair: enablePair,
  force_cancel_order: forceCancelOrder,
};

/** Every action, in the order of `ACTION_NAMES`. */
export const actions: readonly Action[] = ACTION_NAMES.map((name) => ACTIONS[name]);

export const actionsByName: ReadonlyMap<ActionName, Action> = new Map(
  actions.map((action) => [action.name, action]),
);
