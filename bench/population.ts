import type { Facts, SeenEntity } from "../src/domain/entity.ts";
import type { Part } from "../src/domain/observation.ts";
import type { Event } from "../src/domain/step.ts";
import type { Instant } from "../src/domain/time.ts";
import { HOUR } from "../src/domain/time.ts";

/** Entities as the pollers would give them, made from their number alone. */
export const AGGREGATOR = "bench";

/** An epoch like today's, so that instants are numbers of their real size. */
export const START: Instant = Date.UTC(2026, 0, 1);

export type Population = {
  /** Everything that is listed, by poller and surface. */
  readonly listings: ReadonlyMap<string, ReadonlyMap<string, readonly SeenEntity[]>>;
  readonly size: number;
};

/** How many swaps each sender has. */
const SWAPS_EACH = 9;

/** Every how many entities one differs in a poll that changed 1 %. */
const CHANGED_EACH = 100;

export type PopulationOptions = {
  readonly size: number;
  /** The share of all entities that are disabled pairs: each of them is an alert. */
  readonly badShare: number;
  /** 1 % of the entities differ from the population where this is false. */
  readonly changed?: boolean;
};

/** Disabled pairs as the share says; the rest are exchanges, pools, and swaps with their senders. */
export function populate({ size, badShare, changed = false }: PopulationOptions): Population {
  const pairs = Math.round(size * badShare);
  const each = Math.floor((size - pairs) / 3);
  const differs = (index: number): boolean => changed && index % CHANGED_EACH === 0;
  const exchanges = times(each, (index) => exchange(index, differs(index)));
  const disabled = times(pairs, pair);
  const pools = times(each, (index) => pool(index, differs(index)));
  const swaps = new Map<string, SeenEntity[]>();
  for (let index = 0; index < size - pairs - 2 * each; index += 1) {
    const sender = hex(Math.floor(index / (SWAPS_EACH + 1)), 40);
    const listed = swaps.get(sender) ?? [senderOf(sender)];
    if (index % (SWAPS_EACH + 1) > 0) listed.push(swap(index, sender, differs(index)));
    swaps.set(sender, listed);
  }
  const listings = new Map([
    ["exchanges", new Map([["all", [...exchanges, ...disabled]]])],
    ["pools", new Map([["all", pools]])],
    ["swaps", swaps],
  ]);
  return { listings, size };
}

/** One poll of every poller, asked and answered at the instant. */
export function pollsOf({ listings }: Population, askedAt: Instant): Event[] {
  return [...listings].map(([poller, surfaces]) => {
    const parts = [...surfaces].map(([surface, entities]): Part => ({
      surface,
      askedAt,
      reading: { ok: true, complete: true, entities },
    }));
    const seen = { aggregator: AGGREGATOR, poller, parts, origin: "poll", durationMs: 5 } as const;
    return { type: "observed", observation: seen };
  });
}

export function entitiesOf({ listings }: Population): SeenEntity[] {
  return [...listings.values()].flatMap((surfaces) => [...surfaces.values()].flat());
}

function exchange(index: number, differs: boolean): SeenEntity {
  const name = `EXCHANGE${index}`;
  const status = differs ? "disabled" : "enabled";
  return { kind: "exchange", id: name, facts: { name, status, listed: true, disabled: differs } };
}

function pair(index: number): SeenEntity {
  const [exchange, asset] = [`EXCHANGE${Math.floor(index / 10)}`, `A${index % 10}-USDT`];
  const name = `${exchange}/${asset}`;
  const facts: Facts = { name, exchange, asset_pair: asset, status: "disabled" };
  return { kind: "pair", id: name, parent: { kind: "exchange", id: exchange }, facts };
}

function pool(index: number, differs: boolean): SeenEntity {
  const [factory, asset] = [`Factory${index % 5}`, `A${index}-USDT`];
  const name = `${factory}/${asset}`;
  const assets = { base_asset: `A${index}`, quote_asset: "USDT" };
  const [base, quote] = [1_000 + index - (differs ? 0.5 : 0), 2_000 + index];
  const facts = {
    name,
    factory,
    pair: asset,
    ...assets,
    base,
    quote,
    price: quote / base,
    missing: false,
  };
  return { kind: "pool", id: name, facts };
}

function senderOf(address: string): SeenEntity {
  const facts = {
    address,
    alias: `desk-${address.slice(-6)}`,
    active_swaps: SWAPS_EACH,
    missing: false,
  };
  return { kind: "sender", id: address, facts };
}

function swap(index: number, sender: string, differs: boolean): SeenEntity {
  const hash = hex(index, 64);
  const facts: Facts = {
    secret_hash: hash,
    sender,
    sender_alias: `desk-${sender.slice(-6)}`,
    status: "ACTIVE",
    active: true,
    final: false,
    asset: "ORN",
    amount: 10.5,
    source_network: "BSC",
    created: START - HOUR,
    expires: START + 24 * HOUR,
    lock_used: differs,
  };
  return { kind: "swap", id: hash, parent: { kind: "sender", id: sender }, facts };
}

function hex(index: number, digits: number): string {
  return `0x${index.toString(16).padStart(digits, "0")}`;
}

function times(count: number, make: (index: number) => SeenEntity): SeenEntity[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
