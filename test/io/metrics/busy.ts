import type { Facts, SeenEntity } from "../../../src/domain/entity.ts";
import type { Finding, Policy } from "../../../src/domain/step.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { POLLER_NAMES } from "../../../src/pollers/index.ts";
import { watchKinds } from "../../../src/pollers/watch-kinds.ts";
import { exchange, pair, policyOf, repair, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { channel } from "../../core/tell/channels.ts";
import { Scraped } from "./scrape.ts";

/** How the busy world calls its exchanges, pairs, senders and so on. */
export type Naming = {
  readonly exchange: string;
  readonly pair: string;
  readonly factory: string;
  readonly asset: string;
  readonly alias: string;
  readonly status: string;
  readonly network: string;
};

export const PLAIN: Naming = {
  exchange: "KUCOIN",
  pair: "ORN-USDT",
  factory: "OrionV2",
  asset: "ORN",
  alias: "desk",
  status: "ROUTING",
  network: "bsc",
};

export const ADDRESS = "0x8a7b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b";
export const HASH = `0x${"ab".repeat(32)}`;
export const UUID = "123e4567-e89b-12d3-a456-426614174000";

/** A world in which every metric has a series: all kinds of entity, alerts, actions, notifications, faults. */
export function busy(naming: Naming = PLAIN): Scraped {
  const scraped = new Scraped(busyPolicy()).tells({ type: "started" });
  const sees = (poller: string, ...seen: readonly SeenEntity[]): void =>
    void scraped.tells(observed(poller, [partOf("all", scraped.now, seen)]));
  sees(
    "exchanges",
    exchange(naming.exchange, "disabled"),
    exchange("B", "enabled"),
    pair(naming.exchange, naming.pair),
  );
  const { factory, pair: pairName, asset, alias, status, network } = naming;
  sees(
    "pools",
    entity("pool", `${factory}/${pairName}`, {
      factory,
      pair: pairName,
      base_asset: asset,
      quote_asset: "USDT",
      base: 12.5,
      quote: 30,
      estimate_departure: 0.01,
    }),
  );
  sees(
    "swaps",
    entity("sender", ADDRESS, { address: ADDRESS, alias, active_swaps: 2 }),
    entity("swap", HASH, {
      secret_hash: HASH,
      sender: ADDRESS,
      sender_alias: alias,
      status: "ACTIVE",
      active: true,
    }),
  );
  sees(
    "liquidations",
    entity("liquidation", HASH, { order_id: HASH, name: HASH, status, final: false }),
    entity("liquidation", UUID, { order_id: UUID, name: UUID, status: UUID }),
  );
  sees(
    "markets",
    entity("market", pairName, { pair: pairName, listed: true, price: 2, volume: 3 }),
  );
  sees("brokers", entity("broker_asset", asset, { asset, total: 9, in_flight: 1 }));
  scraped.counts(findings(network));
  operate(scraped);
  return scraped;
}

function entity(kind: string, id: string, facts: Facts): SeenEntity {
  return { kind, id, facts: { name: id, ...facts } };
}

function busyPolicy(): Policy {
  const base = policyOf([
    rule({ act: repair({ budget: { max: 2, perMs: MINUTE } }) }),
    rule({ alert: "PoolDrained", kind: "pool", severity: "warning" }),
  ]);
  const poller = { intervalMs: 10 * SECOND, staleAfterMs: 30 * SECOND };
  const channels = ["hook", "other"].map((name) => channel(name));
  return {
    ...base,
    acting: { ...base.acting, budgets: { enable_pair: { max: 3, perMs: MINUTE } } },
    aggregators: ["bsc", "eth"].map((name) => ({
      name,
      pollers: POLLER_NAMES.map((own) => ({ name: own, ...poller })),
    })),
    notify: { channels, suppressedAfterMs: MINUTE, annotations: "live" },
    watch: { kinds: watchKinds, given: new Map() },
  };
}

/** What a step would find after a longer story than this one. */
function findings(network: string): Finding[] {
  const entityId = { aggregator: "bsc", kind: "exchange", id: "B" };
  const remediation = {
    action: "enable_exchange",
    entity: entityId,
    requestedAt: 0,
    settledAt: 700,
  } as const;
  return [
    { type: "left_out", aggregator: "bsc", kind: "pair", why: "listed", count: 3 },
    { type: "took", entity: { ...entityId, kind: "swap_route", id: network }, tookMs: 45_000 },
    { type: "remediation", remediation: { ...remediation, state: "requested" }, detail: "" },
    { type: "remediation", remediation: { ...remediation, state: "verified" }, detail: "" },
    {
      type: "unconfirmed",
      alert: "",
      entity: entityId,
      action: "enable_pair",
      why: "well",
      detail: "",
    },
    {
      type: "suppressed",
      alert: "",
      entity: entityId,
      action: "enable_pair",
      reason: "budget",
      detail: "",
    },
    {
      type: "notified",
      channel: "hook",
      outcome: "delivered",
      count: 1,
      durationMs: 20,
      repeated: false,
      detail: "",
    },
  ] as Finding[];
}

/** What operators and the shell do. */
function operate(scraped: Scraped): void {
  const until = scraped.now + 10 * MINUTE;
  const by = { type: "command", by: "alice", reason: "test" } as const;
  scraped.tells(
    { ...by, command: { name: "hold", scope: { kind: "exchange", id: ADDRESS }, until } },
    { ...by, command: { name: "silence", scope: {}, until } },
    { ...by, command: { name: "kill", source: "operator" } },
  );
  scraped.state.tables.quarantine.set(`bsc/exchange/${ADDRESS}`, { since: 0, reason: "" });
  scraped.journalBytes = 4_096;
  scraped.heartbeat = { reasons: ["poll_overdue"], lastSuccessAt: 1_500 };
  const lease = { epoch: 3, leftMs: 12_000 };
  scraped.replica = { isOwner: true, isDatabaseUp: true, lease, takeOvers: 2, bugs: 0 };
  const counts = { started: 9, missed: 1, overlapped: 2, backedOff: 3, askedToWait: 4 };
  scraped.slots = [{ aggregator: "bsc", poller: "pools", counts }];
  const unchanged = { sameBody: 5, notModified: 6 };
  scraped.clients = [{ aggregator: "bsc", pollLimit: 8, unchanged }];
  scraped.counts([
    { type: "commit", tookMs: 2, isOk: true },
    { type: "commit", tookMs: 4, isOk: false },
    { type: "bug" },
    { type: "heartbeat", outcome: "withheld" },
  ]);
  scraped.watched = ["bsc", "eth"].map((aggregator) => ({
    aggregator,
    entries: [{ kind: "sender", target: ADDRESS, key: ADDRESS, origins: [], source: "config" }],
    sources: [{ source: "file", name: "watch/desks.yaml", entries: [], successAt: 2_000 }],
    conflicts: [ADDRESS],
    sweeps: [{ poller: "swaps", requests: 1, leastMs: 500, intervalMs: 30_000 }],
  }));
}
