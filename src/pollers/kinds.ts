import type { KindDefinition } from "../domain/entity.ts";
import { FAILURE_REASONS } from "../domain/http.ts";
import { brokerAssetKind, brokerKind } from "./brokers.ts";
import { estimationKind, withEstimate } from "./estimations.ts";
import { flag, instant, number, text, words } from "./fact-words.ts";
import { marketConfigKind, marketKind } from "./markets.ts";
import { pastSwapKind, swapRouteKind, withUsual } from "./swap-history.ts";
import { ORDER_FACTS } from "./order-facts.ts";
import { orderKind } from "./orders.ts";
import { POLLER_NAMES } from "./poller.ts";

/**
 * The kinds of entity that the pollers give, and what rules may say of them. Every kind also has the
 * common facts `first_seen` and `since`. A fact that an answer does not show is left out (unknown).
 */

export const exchangeKind = {
  kind: "exchange",
  means: "A whole exchange, as listed by exchange/list and exchange/disabled.",
  facts: {
    name: text("The exchange's name, e.g. BINANCE."),
    status: words(
      ["enabled", "disabled", "missing"],
      "`enabled`, `disabled`, or `missing` (in neither listing, though it was seen before).",
    ),
    listed: flag("It is in the list of accessible exchanges."),
    disabled: flag("It is in the disabled listing."),
  },
  whenAbsent: { status: "missing", listed: false, disabled: false },
} as const satisfies KindDefinition;

export const pairKind = {
  kind: "pair",
  means:
    "An asset pair that is disabled on one exchange. Only pairs in the disabled listing are sure, so a pair that leaves it is gone.",
  facts: {
    name: text("Exchange and pair, e.g. BINANCE/ORN-USDT."),
    exchange: text("The exchange's name."),
    asset_pair: text("The pair, e.g. ORN-USDT."),
    status: words(["disabled"], "Always `disabled`."),
  },
  whenAbsent: "gone",
  listsOnlyBad: true,
} as const satisfies KindDefinition;

export const liquidationKind = {
  kind: "liquidation",
  means: "A watched liquidation order.",
  facts: ORDER_FACTS,
  whenAbsent: "gone",
} as const satisfies KindDefinition;

export const poolKind = {
  kind: "pool",
  means: "A liquidity pool.",
  facts: {
    name: text("Factory and pair, e.g. OrionV2/ORN-USDT."),
    factory: text("The factory's name."),
    pair: text("The pair, e.g. ORN-USDT."),
    base_asset: text("The asset before the dash."),
    quote_asset: text("The asset after the dash."),
    base: number("Reserve of the base asset, in its units."),
    quote: number("Reserve of the quote asset, in its units."),
    price: number("The indicative price, in units of the quote asset."),
    estimate: number(
      "What the aggregator last estimated for the amount that the poller `estimations` asks about, in units of the quote asset.",
    ),
    estimate_departure: number(
      "How far that is from what the reserves say, as a share: 0.02 is 2 %. A fee is part of it.",
    ),
  },
  enrich: withEstimate,
  whenAbsent: "gone",
} as const satisfies KindDefinition;

export const swapKind = {
  kind: "swap",
  means: "An active atomic swap of a watched sender.",
  facts: {
    secret_hash: text("The hash that the swap is locked with; its id."),
    sender: text("The sender's address."),
    sender_alias: text("The sender's configured alias, or its address."),
    status: text("`ACTIVE`, `SETTLED` or `EXPIRED`, or whatever word the aggregator gives."),
    active: flag("The status is `ACTIVE`; left out where the word is not known."),
    asset: text("The locked asset's ticker."),
    amount: number("The locked amount, in units of the asset."),
    redeem_asset: text("Ticker of the asset that is delivered for it."),
    redeem_amount: number("How much of that is delivered, in its units."),
    source_network: text("Network code of the source chain, e.g. BSC."),
    created: instant("When the aggregator says it was created."),
    expires: instant("When the lock expires."),
    lock_used: flag("The lock was claimed or refunded."),
    usual_p99: number(
      "How many seconds all but one of a hundred finished swaps of its route took at the most; left out while fewer than 20 are known.",
    ),
    slow_after: instant("When it has taken three times as long as that."),
  },
  enrich: withUsual,
  whenAbsent: "gone",
} as const satisfies KindDefinition;

export const senderKind = {
  kind: "sender",
  means: "A watched sender of atomic swaps.",
  facts: {
    address: text("The sender's address."),
    alias: text("The configured alias, or the address."),
    active_swaps: number("How many of its swaps are active."),
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** The core itself gives this kind: what it knows of each poller of each aggregator. */
export const pollerKind = {
  kind: "poller",
  means: "One of aggwatch's own pollers: what is known of the watching itself.",
  facts: {
    name: words(POLLER_NAMES, "The poller's name, e.g. exchanges."),
    up: flag("The last poll read at least one of its surfaces; left out before the first poll."),
    stale: flag("No successful poll for longer than `stale_after`."),
    failing_surfaces: number("Surfaces (senders, orders …) whose last reading failed."),
    truncated_surfaces: number("Surfaces whose last listing was cut."),
    surfaces: number("Surfaces that it reads."),
    consecutive_failures: number("Polls in a row that read nothing."),
    last_success: {
      ...instant("When the last poll that read something was asked; left out before the first."),
      past: true,
    },
    reason: words(
      [...FAILURE_REASONS, ""],
      "Why the last failure failed, one of the closed list of failure reasons; empty when up.",
    ),
    error: text("The last failure, or why a listing is not complete, for people; else empty."),
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** The core itself gives this kind too: what became of its repairing of an entity. */
export const repairKind = {
  kind: "repair",
  means:
    "An entity that aggwatch tried to repair, and what came of it: the repairing itself is watched.",
  facts: {
    kind: text("The kind of the entity, e.g. exchange."),
    entity: text("The entity's id, e.g. BINANCE."),
    action: text("The last action."),
    rule: text("The rule that asked for it."),
    last_outcome: text("`verified`, `unverified` or `rejected`."),
    last_attempt: instant("When the last attempt was sent."),
    detail: text("What is known of the last attempt, for people."),
    failures: number("Failed attempts in a row."),
    exhausted: flag("The alert fires on, and its rule's attempts are used up."),
    undone: number("How often in a row a repair was undone soon after."),
    quarantined: flag("It is left alone until an operator releases it: a tug of war."),
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

export const kinds: ReadonlyMap<string, KindDefinition> = new Map(
  [
    exchangeKind,
    pairKind,
    liquidationKind,
    poolKind,
    swapKind,
    senderKind,
    marketKind,
    marketConfigKind,
    estimationKind,
    orderKind,
    pastSwapKind,
    swapRouteKind,
    brokerKind,
    brokerAssetKind,
    pollerKind,
    repairKind,
  ].map((definition): [string, KindDefinition] => [definition.kind, definition]),
);
