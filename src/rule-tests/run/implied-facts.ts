import type { ActionName } from "../../domain/action.ts";
import type { Facts, FactValue } from "../../domain/entity.ts";
import { kinds } from "../../pollers/kinds.ts";
import {
  DEFAULT_STATUSES,
  orderStatus,
  settingOfStatus,
  swapStatus,
} from "../../pollers/status-words.ts";

/**
 * The facts of an entity that a poller would give beside those that a test gives, so that a test gives only facts that
 * matter: they follow from the id, the sender and the status. The facts that the test gives win.
 */
export function impliedFacts(kind: string, id: string, said: Facts): Facts {
  const status = said["status"];
  switch (kind) {
    case "exchange":
      return { name: id, ...exchangeFlags(status) };
    case "pair": {
      const [exchange = id, assetPair = id] = cut(id, "/");
      return { name: id, exchange, asset_pair: assetPair, status: "disabled" };
    }
    case "order": {
      const [market = "spot", own = id] = cut(id, "/");
      return { market, order_id: own, name: own, ...orderFlags(status) };
    }
    case "liquidation":
      return { order_id: id, name: id, ...orderFlags(status) };
    case "pool": {
      const [factory = id, pair = id] = cut(id, "/");
      const [base, quote] = cut(pair, "-");
      const assets =
        base === undefined || quote === undefined ? {} : { base_asset: base, quote_asset: quote };
      return { name: id, factory, pair, ...assets };
    }
    case "swap": {
      const sender = said["sender"] ?? DEFAULT_SENDER;
      return { secret_hash: id, sender, sender_alias: sender, ...swapFlags(status) };
    }
    case "sender":
      return { address: id, alias: id };
    case "broker":
      return { address: id };
    case "past_swap": {
      const sender = said["sender"] ?? DEFAULT_SENDER;
      return { secret_hash: id, sender, sender_alias: sender, ...pastSwapFlags(status) };
    }
    case "broker_asset":
      return { asset: id };
    case "market":
      return { pair: id, status: "listed", listed: status !== "missing" };
    case "market_config": {
      const [pair = id, exchange = ""] = cut(id, "@");
      return { name: id, pair, exchange };
    }
    case "estimation": {
      const [factory = id, pair = id] = cut(id, "/");
      return { name: id, factory, pair, side: "SELL", amount: 1 };
    }
    default:
      return {};
  }
}

/** The facts as a poller gives them: it spells a status as the settings do, here as they are by default. */
export function asPolled(kind: string, said: Facts): Facts {
  const definition = kinds.get(kind);
  const setting = definition && settingOfStatus(definition);
  const word = said["status"];
  if (setting === undefined || word === undefined) return said;
  const meaning = setting === "swap_statuses" ? swapStatus : orderStatus;
  return { ...said, status: meaning({ status: String(word) }, DEFAULT_STATUSES).status };
}

const DEFAULT_SENDER = "desk-a";

/** The surface of its poller from which an entity is read. */
export function surfaceOf(kind: string, id: string, said: Facts): string {
  if (kind === "liquidation" || kind === "sender") return id;
  if (kind === "swap" || kind === "past_swap") return String(said["sender"] ?? DEFAULT_SENDER);
  if (kind === "market") return "list";
  if (kind === "order") return id.startsWith("futures/") ? "futures" : "spot";
  return kind === "market_config" ? "settings" : "all";
}

/** The facts that a successful action changes; `gone` if the entity is absent from then on. */
export function repaired(action: ActionName): Facts | "gone" {
  switch (action) {
    case "enable_exchange":
      return { status: "enabled", ...exchangeFlags("enabled") };
    case "enable_pair":
      return "gone";
    case "force_cancel_order":
      return { status: "CANCELED", ...orderFlags("CANCELED") };
  }
}

function exchangeFlags(status: unknown): Facts {
  if (status === undefined) return {};
  return { listed: status === "enabled", disabled: status === "disabled" };
}

/** A status that is in none of the sets implies nothing, as in the poller. */
function orderFlags(word: FactValue | undefined): Facts {
  if (word === undefined) return {};
  const { status: _, ...flags } = orderStatus({ status: String(word) }, DEFAULT_STATUSES);
  return flags;
}

function swapFlags(status: unknown): Facts {
  if (typeof status !== "string") return {};
  const { active } = swapStatus({ status }, DEFAULT_STATUSES);
  return { active: active ?? true, ...(active === undefined ? {} : { final: !active }) };
}

function pastSwapFlags(status: unknown): Facts {
  if (typeof status !== "string") return {};
  const { active, settled } = swapStatus({ status }, DEFAULT_STATUSES);
  return active === undefined ? {} : { finished: !active, settled: settled === true };
}

/** Splits a text in two at a mark; empty unless the text has the mark exactly once. */
function cut(text: string, mark: string): readonly string[] {
  const parts = text.split(mark);
  return parts.length === 2 ? parts : [];
}
