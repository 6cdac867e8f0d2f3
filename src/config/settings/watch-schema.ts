import { z } from "zod";
import { SECOND } from "../../domain/time.ts";
import { NOTHING_WATCHED, ORDER_MARKETS } from "../../pollers/poller.ts";
import { credential } from "../../schema/credential.ts";
import {
  duration,
  field,
  list,
  listOf,
  oneOf,
  orText,
  refuse,
  slug,
  soundText,
  text,
  wholeNumber,
} from "../../schema/fields.ts";
import { routeKeys } from "../../schema/route.ts";
import { section } from "../../schema/section.ts";
import { holdsUser } from "../../schema/url.ts";

/** The shape of `watch`: what is watched by entry, and the sources of more entries. */

/** As in Prometheus, only the last part of the path may be a pattern. */
const filePattern = field(
  z.string().superRefine((value, context) => {
    const parts = value.split("/");
    const last = parts.pop() ?? "";
    if (!/\.(json|ya?ml)$/.test(last))
      refuse(context, "must end in .yaml, .yml or .json", "for example watch/*.yaml");
    if (parts.some((part) => /[*?]/.test(part)))
      refuse(context, "may have * and ? only after the last slash", "for example watch/*.yaml");
  }),
  "path",
  "A path whose last part may be a pattern.",
);

/** A part of an order's name, `futures/123/0x8a…`: with a slash in it, the name would be that of another order. */
const orderPart = (means: string) =>
  field(
    soundText((value) => {
      const hint = 'write { id: "123", market: futures }, with owner: "0x8a…" if that is needed';
      return /[/\s]/.test(value) ? ["must have neither a slash nor white space", hint] : [];
    }).min(1, "must not be empty"),
    "text",
    means,
  );

const httpList = section({
  url: soundText((value) => {
    const url = URL.parse(value);
    if (url === null || !/^https?:$/.test(url.protocol))
      return ["is not an address", "for example http://127.0.0.1:8080/senders"];
    return holdsUser(url) ? ["must not hold a user name or a password", "use auth"] : [];
  }),
  name: slug.optional(),
  every: duration("How often it is asked.", "positive", SECOND).prefault("1m"),
  timeout: duration("How long a whole request may take.").prefault("10s"),
  auth: credential.prefault({}),
  ...routeKeys,
});

export const watchSchema = section({
  senders: listOf(
    orText(
      "address",
      z.strictObject({
        address: text("The sender's address."),
        alias: text("What it is called in labels.").optional(),
      }),
    ),
    "Senders of atomic swaps: addresses, or `{ address, alias }`.",
  ).prefault([]),
  liquidations: listOf(
    orText(
      "id",
      z.strictObject({
        id: text("The order's id."),
        alias: text("What it is called.").optional(),
      }),
    ),
    "Liquidation orders: ids, or `{ id, alias }`.",
  ).prefault([]),
  orders: listOf(
    orText(
      "id",
      z.strictObject({
        id: orderPart("The order's id."),
        owner: orderPart("The owner's address.").optional(),
        market: oneOf(ORDER_MARKETS, "`spot` or `futures`.").prefault("spot"),
        alias: text("What it is called.").optional(),
      }),
    ),
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
  pools: listOf(
    z.preprocess(
      splitPool,
      z.strictObject({ factory: text("The factory."), pair: text("The asset pair.") }),
    ),
    "Pools: `{ factory, pair }` or `OrionV2/ORN-USDT`. None: all pools that are listed.",
  ).prefault([]),
  markets: listOf(
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
  files: listOf(
    filePattern,
    "Files with more of them, in the format of Prometheus' `file_sd`, such as `watch/*.yaml`: docs/watch-lists.md.",
  ).prefault([]),
  http: listOf(
    orText("url", httpList),
    "The same over HTTP (`http_sd`): URLs, or `{ url, name, every, timeout, auth, tls, proxy }`. `every` is 1m by default; `auth` is as that of a read, `tls` and `proxy` as those of the aggregator.",
  ).prefault([]),
});

function splitPool(value: unknown, context: z.core.$RefinementCtx): unknown {
  if (typeof value !== "string") return value;
  const match = /^([^/]+)\/([^/]+)$/.exec(value);
  if (match !== null) return { factory: match[1], pair: match[2] };
  refuse(context, "is not a pool", "for example OrionV2/ORN-USDT");
  return z.NEVER;
}
