import { createHash } from "node:crypto";

const FAULTS = ["cut", "empty", "html", "error", "partial", "slow", "hang", "broken"] as const;
export type LyingFault = "none" | (typeof FAULTS)[number];

const EXCHANGES = 30;
const POOLS = 20;
const SENDERS = 20;
const LIQUIDATIONS = 10;
/** Every so many seconds the listing of exchanges holds this many new names, for a while. */
const FLOOD_EVERY = 40;
const FLOOD_FOR = 12;
const FLOOD_NAMES = 15_000;

/** What the daemon is to watch by name. */
export const WATCHED = {
  senders: times(SENDERS, (index) => `0x${index.toString(16).padStart(40, "b")}`),
  liquidations: times(LIQUIDATIONS, (index) => `0x${index.toString(16).padStart(64, "c")}`),
};

type Swap = { readonly hash: string; status: string; readonly created: number };

/** Exchanges, pairs, pools, swaps and orders that are others each second. */
export class LyingWorld {
  private second = 0;
  private made = 0;
  private state: number;
  private readonly exchanges = new Map<string, boolean>();
  private readonly pairs = new Set<string>();
  private readonly pools = new Map<string, number>();
  private readonly swaps = new Map<string, Swap[]>(WATCHED.senders.map((sender) => [sender, []]));
  private readonly orders = new Map<string, string>();

  constructor(seed: number) {
    this.state = seed >>> 0;
    for (let index = 0; index < EXCHANGES; index += 1) this.exchanges.set(this.name("X"), true);
    for (let index = 0; index < POOLS; index += 1) this.pools.set(this.name("T"), 1_000);
    for (const id of WATCHED.liquidations) this.orders.set(id, "ACCEPTED");
  }

  /** A second passes: some flap, some get another name. */
  pass(): void {
    this.second += 1;
    this.flap(this.exchanges);
    this.rename(this.exchanges, this.name("X"), true);
    if (this.chance(0.3)) this.rename(this.pools, this.name("T"), 1_000);
    for (const [pool, base] of this.pools) this.pools.set(pool, base * (0.98 + this.random() / 25));
    if (this.pairs.size > 30 || this.chance(0.5))
      this.pairs.delete(this.pick([...this.pairs]) ?? "");
    const exchange = this.pick([...this.exchanges.keys()]) ?? "X";
    this.pairs.add(`${exchange} ${this.name("P")}-USDT`);
    for (const own of this.swaps.values()) this.churn(own);
    const statuses = ["NEW", "ACCEPTED", "ROUTING", "CANCELED", "SETTLED", "WHAT_IS_THIS"];
    const id = this.pick(WATCHED.liquidations) ?? "";
    this.orders.set(id, this.pick(statuses) ?? "NEW");
  }

  /** What is wrong with the next reply. */
  fault(): LyingFault {
    return this.chance(0.85) ? "none" : (this.pick(FAULTS) ?? "none");
  }

  /** The body of a reply; undefined: there is no such thing. */
  reply(method: string, path: string, query: URLSearchParams): unknown {
    if (path.startsWith("/api/v1/exchange/toggle/")) return this.toggle(path.split("/").slice(5));
    if (method === "DELETE") return this.cancel(path.split("/").at(-1) ?? "");
    switch (path) {
      case "/api/v1/exchange/list":
        return this.listed();
      case "/api/v1/exchange/disabled":
        return this.disabled();
      case "/api/v1/pools/reservations":
        return [...this.pools].map(([pair, a]) => ({
          factory: "F",
          pair: `${pair}-USDT`,
          a,
          p: a,
        }));
      case "/api/v1/atomic-swap/history/current":
      case "/atomic-swap/api/v1/history/all":
        return this.swapsOf(query.get("sender") ?? "");
      case "/api/v1/order/status":
        return this.ordersWith(query.get("status") ?? "");
      case "/api/v1/order/liquidation":
        return this.order(query.get("orderId") ?? "");
      default:
        return [];
    }
  }

  private listed(): string[] {
    const names = [...this.exchanges].flatMap(([name, enabled]) => (enabled ? [name] : []));
    if (this.second % FLOOD_EVERY < FLOOD_FOR) {
      for (let index = 0; index < FLOOD_NAMES; index += 1) names.push(this.name("FLOOD-"));
    }
    return names;
  }

  private disabled(): object {
    const exchanges = [...this.exchanges].flatMap(([name, enabled]) => (enabled ? [] : [name]));
    // Now and then one is in both listings, or the body lacks a part.
    const [first] = this.exchanges.keys();
    if (this.chance(0.05) && first !== undefined && !exchanges.includes(first))
      exchanges.push(first);
    if (this.chance(0.03)) return { exchanges };
    const pairs = [...this.pairs].map((pair) => {
      const [exchange = "", assetPair = ""] = pair.split(" ");
      return { exchange, assetPair };
    });
    return { exchanges, pairs };
  }

  /** It says that it is done, and often it is not. */
  private toggle([exchange = "", pair]: readonly string[]): object {
    if (this.chance(0.3)) return { enabled: true };
    if (pair === undefined) this.exchanges.set(exchange, true);
    else this.pairs.delete(`${exchange} ${pair}`);
    return { enabled: true };
  }

  private cancel(id: string): object {
    if (this.chance(0.7)) this.orders.set(id, "CANCELED");
    return { id };
  }

  private swapsOf(sender: string): object[] {
    return (this.swaps.get(sender) ?? []).map(({ hash: secretHash, status, created }) => ({
      sender,
      status,
      creationTime: created,
      lockOrder: { secretHash, asset: "ETH", amount: 1, expiration: created + 3_600_000 },
    }));
  }

  private ordersWith(status: string): object[] {
    const count = Math.floor(this.random() * 25);
    return times(Math.min(20, count), () => ({ id: this.hash(), status, assetPair: "ORN-USDT" }));
  }

  private order(id: string): object | undefined {
    const status = this.orders.get(id);
    if (status === undefined || this.chance(0.05)) return undefined;
    return { orderId: id, order: { id, status } };
  }

  private churn(own: Swap[]): void {
    if (this.chance(0.2)) own.push({ hash: this.hash(), status: "ACTIVE", created: Date.now() });
    const one = this.pick(own);
    if (one !== undefined && this.chance(0.3))
      one.status = this.pick(["SETTLED", "EXPIRED", "LOST"]) ?? "";
    if (own.length > 5) own.shift();
  }

  private flap(all: Map<string, boolean>): void {
    const name = this.pick([...all.keys()]);
    if (name !== undefined) all.set(name, all.get(name) !== true);
  }

  private rename<Value>(all: Map<string, Value>, name: string, value: Value): void {
    all.delete(this.pick([...all.keys()]) ?? "");
    all.set(name, value);
  }

  /** A name that there never was before. */
  private name(begin: string): string {
    this.made += 1;
    return `${begin}${this.made}`;
  }

  private hash(): string {
    return `0x${createHash("sha256").update(this.name("hash")).digest("hex")}`;
  }

  private pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.random() * items.length)];
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }

  /** From 0 to 1, and the same for the same seed (mulberry32). */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
