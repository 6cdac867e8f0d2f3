import * as z from "zod";
import { SECOND } from "../../domain/time.ts";
import { cannot, defineCommand, done, type Command, type Outcome } from "./command.ts";
import { addLiquidation } from "../model/new-world.ts";
import { accessibleFor, addOrder, setOrderStatus, setOrderStuck } from "../model/orders.ts";
import { randomHex } from "../model/random.ts";
import { hash, pairName, positive, senderAddress } from "../model/world-plan.ts";
import { ORDER_STATUSES, ORDER_TYPES, type Order, type World } from "../model/world.ts";

/** Commands about orders of all types. */

const status = z.enum(ORDER_STATUSES);
const addFields = {
  type: z.enum(ORDER_TYPES),
  id: hash.optional(),
  owner: senderAddress.optional(),
  pair: pairName.optional(),
  side: z.enum(["BUY", "SELL"]).optional(),
  amount: positive.optional(),
  price: positive.optional(),
  status: status.optional(),
  stuck: z.boolean().optional(),
};
type Given = z.output<z.ZodObject<typeof addFields>>;

function withOrder(world: World, id: string, then: (order: Order) => Outcome): Outcome {
  const order = world.orders.get(id.toLowerCase());
  return order === undefined ? cannot(`There is no order ${id}.`) : then(order);
}

function add(world: World, given: Given): Outcome {
  const id = given.id ?? randomHex(world.random, 64);
  const pair = given.pair ?? [...world.markets.keys()][0] ?? "";
  const market = world.markets.get(pair);
  if (market === undefined) return cannot(`There is no pair ${pair}.`);
  if (world.orders.has(id.toLowerCase())) return cannot(`There is an order ${id} already.`);
  if (given.type === "liquidation") {
    addLiquidation(world, { ...given, id, pair });
    return done({ id });
  }
  addOrder(world, {
    id,
    type: given.type,
    owner: given.owner ?? randomHex(world.random, 40),
    pair,
    side: given.side ?? "BUY",
    amount: given.amount ?? 10,
    price: given.price ?? market.price,
    exchanges: accessibleFor(world, pair)
      .slice(0, 1)
      .map((exchange) => exchange.name),
    paceMs: 4 * SECOND,
    status: given.status,
    stuck: given.stuck,
  });
  return done({ id });
}

const stuckCommand = (name: string, means: string, stuck: boolean): Command =>
  defineCommand(name, means, { id: hash }, ({ world }, { id }) =>
    withOrder(world, id, (order) => {
      setOrderStuck(world, order, stuck);
      return done({ status: order.status });
    }),
  );

const FREEZE_MEANS =
  "The order (or liquidation order) is stuck in its status; a forced cancellation still works.";

export const orderCommands: readonly Command[] = [
  defineCommand(
    "add_order",
    "An order of any type, in any status; a stuck one stays in it. Gives its id.",
    addFields,
    ({ world }, given) => add(world, given),
  ),
  defineCommand(
    "set_order",
    "Puts an order into a status; from there it goes on as usual, unless it is stuck.",
    { id: hash, status },
    ({ world }, given) =>
      withOrder(world, given.id, (order) => {
        setOrderStatus(world, order, given.status);
        return done();
      }),
  ),
  defineCommand(
    "set_amount",
    "The order (or liquidation order) has another amount from now on.",
    { id: hash, amount: positive },
    ({ world }, { id, amount }) =>
      withOrder(world, id, (order) => {
        order.amount = amount;
        return done();
      }),
  ),
  stuckCommand("freeze_order", FREEZE_MEANS, true),
  stuckCommand("release_order", "The order goes on.", false),
];
