import { z } from "zod";
import { parseBaseUrl } from "../aggregator/base-url.ts";
import { pollers } from "../pollers/index.ts";
import { NOTHING_WATCHED, ORDER_MARKETS, type Poller, type PollerName } from "../pollers/poller.ts";
import { duration, field, list, oneOf, orText, refuse, size, text, wholeNumber } from "./fields.ts";
import { schedulePatternProblem } from "./schedule.ts";
import { wireSchema } from "./wire-schema.ts";

/** The shape of one entry of `aggregators`. */

const name = field(
  z.string().regex(/^[a-z0-9][a-z0-9_.-]*$/, {
    error: "must be of lower-case letters, digits, dots, dashes and underscores",
  }),
  "text",
  "The name in metrics, alerts and logs. Default: from the base URL, as `bsc-mainnet`.",
);

const baseUrl = field(
  z.string().superRefine((value, context) => {
    const url = parseBaseUrl(value);
    if (!url.ok) refuse(context, url.problem, "as https://host/bsc-mainnet/backend");
  }),
  "text",
  "What all paths are relative to; a path of its own is kept.",
);

export const credential = (purpose: string) =>
  z.strictObject({
    type: oneOf(["none", "bearer", "basic", "header"], `How ${purpose} shows who asks.`).prefault(
      "none",
    ),
    name: field(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: "is not a header name" }),
      "text",
      "`header`: the header's name, as X-API-KEY.",
    ).optional(),
    value_file: text("`bearer`, `header`: a file that holds the value.").optional(),
    value_env: text("`bearer`, `header`: an environment variable that holds the value.").optional(),
    username: text("`basic`: the user name.").optional(),
    password_file: text("`basic`: a file that holds the password.").optional(),
    password_env: text("`basic`: an environment variable that holds the password.").optional(),
  });

const schedule = ({ name: poller, defaultSchedule }: Poller) =>
  field(
    z
      .string()
      .nullable()
      .transform((value, context) => {
        if (value === null || value === "off") return null;
        const problem = schedulePatternProblem(value);
        if (problem !== undefined)
          refuse(context, `is not a schedule: ${problem}`, 'as "*/10 * * * * *", or "off"');
        return value;
      }),
    "schedule",
    `When the poller \`${poller}\` asks, in UTC: cron with seconds first, or \`off\`.`,
  ).prefault(defaultSchedule ?? "off");

type Schedules = Readonly<Record<PollerName, ReturnType<typeof schedule>>>;

/** One key for each poller; those that cost the aggregator much are off until they are asked for. */
const schedulesSchema = z.strictObject(
  Object.fromEntries(pollers.map((poller) => [poller.name, schedule(poller)])) as Schedules,
);

const watchSchema = z.strictObject({
  senders: field(
    z.array(
      orText(
        "address",
        z.strictObject({
          address: text("The sender's address."),
          alias: text("What it is called in labels.").optional(),
        }),
      ),
    ),
    "list",
    "Senders of atomic swaps: addresses, or `{ address, alias }`.",
  ).prefault([]),
  liquidations: field(
    z.array(
      orText(
        "id",
        z.strictObject({
          id: text("The order's id."),
          alias: text("What it is called.").optional(),
        }),
      ),
    ),
    "list",
    "Liquidation orders: ids, or `{ id, alias }`.",
  ).prefault([]),
  orders: field(
    z.array(
      orText(
        "id",
        z.strictObject({
          id: text("The order's id."),
          owner: text("The owner's address.").optional(),
          market: oneOf(ORDER_MARKETS, "`spot` or `futures`.").prefault("spot"),
          alias: text("What it is called.").optional(),
        }),
      ),
    ),
    "list",
    "Orders: ids, or `{ id, owner, market, alias }`.",
  ).prefault([]),
  order_statuses: z
    .strictObject({
      spot: list(
        "Spot orders with one of these statuses are listed, 20 of each at the most.",
      ).prefault([]),
      futures: list("The same for futures orders.").prefault([]),
    })
    .prefault({}),
  pools: field(
    z.array(
      z.preprocess(
        splitPool,
        z.strictObject({ factory: text("The factory."), pair: text("The asset pair.") }),
      ),
    ),
    "list",
    "Pools: `{ factory, pair }` or `OrionV2/ORN-USDT`. None: all pools that are listed.",
  ).prefault([]),
  markets: field(
    z.array(
      orText(
        "pair",
        z
          .strictObject({
            pair: text("The asset pair.").optional(),
            exchange: text("The exchange.").optional(),
          })
          .refine(({ pair, exchange }) => pair !== undefined || exchange !== undefined, {
            error: "names neither a pair nor an exchange",
          }),
      ),
    ),
    "list",
    "Pairs whose settings the poller `markets` reads: `ORN-USDT`, or `{ pair, exchange }` with either or both. None: all pairs.",
  ).prefault([]),
  history_limit: wholeNumber(
    "How many of each sender's newest swaps the poller `swap_history` asks for.",
    1,
    1_000,
  ).prefault(NOTHING_WATCHED.historyLimit),
  estimation: z
    .strictObject({
      amount: field(
        z.number().positive(),
        "number",
        "The amount that the poller `estimations` asks about, in units of the base asset.",
      ).prefault(NOTHING_WATCHED.estimation.amount),
      side: oneOf(["BUY", "SELL"], "The side that it asks about.").prefault(
        NOTHING_WATCHED.estimation.side,
      ),
    })
    .prefault({}),
});

function splitPool(value: unknown): unknown {
  const match = typeof value === "string" ? /^([^/]+)\/([^/]+)$/.exec(value) : null;
  return match === null ? value : { factory: match[1], pair: match[2] };
}

export const aggregatorSchema = z.strictObject({
  name: name.optional(),
  base_url: baseUrl.optional(),
  auth: z
    .strictObject({
      read: credential("a read").prefault({}),
      act: credential("an action").prefault({}),
    })
    .prefault({}),
  rate: z
    .strictObject({
      requests_per_second: field(
        z.number().min(0.01).max(10_000),
        "number",
        "The most requests a second.",
      ).prefault(50),
      concurrency: wholeNumber("The most requests at once.", 1, 1_000).prefault(16),
    })
    .prefault({}),
  timeout: duration("How long a whole request may take.").prefault("10s"),
  timeouts: z
    .strictObject({
      connect: duration("How long connecting may take.").prefault("3s"),
      response: duration("How long the first byte of an answer may take.").prefault("8s"),
    })
    .prefault({}),
  max_body_bytes: size("The longest body that is read, unpacked.").prefault("5MiB"),
  retries: wholeNumber(
    "How often a failed read is tried again. An action never is.",
    0,
    10,
  ).prefault(2),
  schedules: schedulesSchema.prefault({}),
  stale_after: duration(
    "How old a poller's last reading may be before it is unknown. Default: three missed polls.",
  ).optional(),
  watch: watchSchema.prefault({}),
  statuses: z
    .strictObject({
      open: list("Order statuses that are open.").prefault([
        "NEW",
        "ACCEPTED",
        "ROUTING",
        "PARTIALLY_FILLED",
        "FILLED",
        "TX_PENDING",
      ]),
      cancelable: list("Order statuses that can be cancelled.").prefault([
        "NEW",
        "ACCEPTED",
        "ROUTING",
        "PARTIALLY_FILLED",
      ]),
      final: list("Order statuses that do not change any more.").prefault([
        "SETTLED",
        "CANCELED",
        "REJECTED",
        "FAILED",
      ]),
    })
    .prefault({}),
  wire: wireSchema.prefault({}),
});

export type AggregatorText = z.output<typeof aggregatorSchema>;
