import { answer, refuse, type Answer } from "./answer.ts";
import { read, write, type Route } from "./routes.ts";
import type { Exchange, World } from "../model/world.ts";

/** The exchange area: two toggles, each with POST and DELETE, and two listings. */

/** Whether a thing is on, and how to switch it. */
type Switch = { readonly what: string; readonly on: boolean; readonly put: (on: boolean) => void };

export function withExchange(
  world: World,
  name: string,
  then: (exchange: Exchange) => Answer,
): Answer {
  const exchange = world.exchanges.get(name);
  return exchange === undefined
    ? refuse(404, "exchange_not_found", `There is no exchange ${name}.`)
    : then(exchange);
}

/** Like `withExchange`, for an exchange that trades the pair. */
export function withTradedPair(
  world: World,
  name: string,
  pair: string,
  then: (exchange: Exchange) => Answer,
): Answer {
  return withExchange(world, name, (exchange) =>
    exchange.pairs.has(pair)
      ? then(exchange)
      : refuse(404, "pair_not_found", `${name} does not trade the pair ${pair}.`),
  );
}

function exchangeSwitch(exchange: Exchange): Switch {
  return {
    what: `exchange ${exchange.name}`,
    on: exchange.enabled,
    put: (on) => {
      exchange.enabled = on;
    },
  };
}

function pairSwitch(exchange: Exchange, pair: string): Switch {
  return {
    what: `pair ${pair} on ${exchange.name}`,
    on: !exchange.disabledPairs.has(pair),
    put: (on) => void (on ? exchange.disabledPairs.delete(pair) : exchange.disabledPairs.add(pair)),
  };
}

/** The interface's state table has only real changes; a repeated toggle changes nothing. */
function toggle(world: World, target: Switch, on: boolean): Answer {
  const state = on ? "enabled" : "disabled";
  if (target.on === on && world.settings.repeatedToggle === "conflict")
    return refuse(409, "already_so", `The ${target.what} is already ${state}.`);
  const body = {
    success: true,
    changed: target.on !== on,
    message: `The ${target.what} is ${state}.`,
  };
  return target.on === on ? answer(body) : answer(body, () => target.put(on));
}

function toggleExchange(on: boolean): Route["handle"] {
  return ({ world, args: [name = ""] }) =>
    withExchange(world, name, (exchange) => toggle(world, exchangeSwitch(exchange), on));
}

function togglePair(on: boolean): Route["handle"] {
  return ({ world, args: [name = "", pair = ""] }) =>
    withTradedPair(world, name, pair, (exchange) => toggle(world, pairSwitch(exchange, pair), on));
}

const disabled: Route["handle"] = ({ world }) => {
  const all = [...world.exchanges.values()];
  const pairs = all.flatMap((exchange) =>
    [...exchange.disabledPairs].map((assetPair) => ({ exchange: exchange.name, assetPair })),
  );
  return answer({ exchanges: all.filter((one) => !one.enabled).map((one) => one.name), pairs });
};

const TOGGLE = "/api/v1/exchange/toggle/{exchange}";
const PAIR_TOGGLE = `${TOGGLE}/{assetPair}`;

export const exchangeRoutes: readonly Route[] = [
  write("enableExchange", "POST", TOGGLE, "toggle", toggleExchange(true)),
  write("disableExchange", "DELETE", TOGGLE, "toggle", toggleExchange(false)),
  write("enablePair", "POST", PAIR_TOGGLE, "toggle", togglePair(true)),
  write("disablePair", "DELETE", PAIR_TOGGLE, "toggle", togglePair(false)),
  read("exchanges", "GET", "/api/v1/exchange/list", [], ({ world }) =>
    answer([...world.exchanges.values()].filter((one) => one.enabled).map((one) => one.name)),
  ),
  read("disabled", "GET", "/api/v1/exchange/disabled", { exchanges: [], pairs: [] }, disabled),
];
