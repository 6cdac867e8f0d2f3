import * as z from "zod";
import { round } from "../model/amounts.ts";
import { cannot, defineCommand, done, type Command, type Outcome } from "./command.ts";
import { longDuration } from "../model/duration.ts";
import { clearFaults, FAULT_KINDS, faultPlan, faultyEndpoint, setFault } from "../routes/faults.ts";
import { findPool } from "../model/pools.ts";
import { schedule, type Exchange, type Pool, type World } from "../model/world.ts";

/** Commands about faults, exchanges and pools. */

const text = z.string();
const times = z.number().int().positive().max(1e9).optional();
const reserve = z.number().nonnegative().max(1e15).optional();

function withExchange(world: World, name: string, then: (found: Exchange) => Outcome): Outcome {
  const exchange = world.exchanges.get(name);
  return exchange === undefined ? cannot(`There is no exchange ${name}.`) : then(exchange);
}

function withPool(
  world: World,
  given: { readonly factory: string; readonly pair: string },
  then: (found: Pool) => Outcome,
): Outcome {
  const pool = findPool(world, given.factory, given.pair);
  return pool === undefined
    ? cannot(`The factory ${given.factory} has no pool of ${given.pair}.`)
    : then(pool);
}

const exchangeToggle = (name: string, enabled: boolean): Command =>
  defineCommand(
    name,
    `Someone else ${enabled ? "enables" : "disables"} the exchange.`,
    { exchange: text },
    ({ world }, given) =>
      withExchange(world, given.exchange, (exchange) => {
        exchange.enabled = enabled;
        return done();
      }),
  );

const pairToggle = (name: string, enabled: boolean): Command =>
  defineCommand(
    name,
    `Someone else ${enabled ? "enables" : "disables"} the pair on the exchange.`,
    { exchange: text, pair: text },
    ({ world }, { exchange: exchangeName, pair }) =>
      withExchange(world, exchangeName, (exchange) => {
        if (!exchange.pairs.has(pair)) return cannot(`${exchangeName} does not trade ${pair}.`);
        if (enabled) exchange.disabledPairs.delete(pair);
        else exchange.disabledPairs.add(pair);
        return done();
      }),
  );

export const aggregatorCommands: readonly Command[] = [
  defineCommand(
    "set_fault",
    "Injects a fault into an endpoint, or into `all`, for `times` requests or until cleared.",
    { endpoint: faultyEndpoint, fault: faultPlan, times },
    ({ world, faults }, { endpoint, fault, times: left }) => {
      const frozen = fault.kind === "stale" ? { frozen: structuredClone(world) } : {};
      setFault(faults, { endpoint, plan: fault, left: left ?? Infinity, ...frozen });
      return done();
    },
  ),
  defineCommand(
    "clear_faults",
    "Ends all faults, or those of one endpoint or kind.",
    { endpoint: faultyEndpoint.optional(), kind: z.enum(FAULT_KINDS).optional() },
    ({ faults }, { endpoint, kind }) => done({ cleared: clearFaults(faults, endpoint, kind) }),
  ),
  exchangeToggle("disable_exchange", false),
  exchangeToggle("enable_exchange", true),
  pairToggle("disable_pair", false),
  pairToggle("enable_pair", true),
  defineCommand(
    "flap",
    "The exchange is disabled now, and again each `every` if it was enabled; at most `times` times.",
    { exchange: text, every: longDuration, times },
    ({ world }, given) =>
      withExchange(world, given.exchange, (exchange) => {
        exchange.enabled = false;
        world.sequence += 1;
        const change = world.sequence;
        const left = (given.times ?? Infinity) - 1;
        world.flapping.delete(given.exchange);
        if (left <= 0) return done();
        world.flapping.set(given.exchange, { everyMs: given.every, left, change });
        schedule(world, { at: world.now + given.every, kind: "flap", id: given.exchange, change });
        return done();
      }),
  ),
  defineCommand(
    "stop_flapping",
    "The exchange stays as it is.",
    { exchange: text },
    ({ world }, { exchange }) => done({ stopped: world.flapping.delete(exchange) }),
  ),
  defineCommand(
    "set_pool",
    "The pool's reserves, in units of the base and of the quote asset.",
    { factory: text, pair: text, base: reserve, quote: reserve },
    ({ world }, given) =>
      withPool(world, given, (pool) => {
        pool.base = given.base ?? pool.base;
        pool.quote = given.quote ?? pool.quote;
        return done({ base: pool.base, quote: pool.quote });
      }),
  ),
  defineCommand(
    "drain_pool",
    "Someone withdraws this share (0 to 1) of both reserves.",
    { factory: text, pair: text, ratio: z.number().min(0).max(1) },
    ({ world }, given) =>
      withPool(world, given, (pool) => {
        pool.base = round(pool.base * (1 - given.ratio));
        pool.quote = round(pool.quote * (1 - given.ratio));
        return done({ base: pool.base, quote: pool.quote });
      }),
  ),
];
