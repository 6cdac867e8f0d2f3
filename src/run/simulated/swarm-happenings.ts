import { MINUTE, SECOND, type Millis } from "../../domain/time.ts";
import { DISK_FAULTS } from "../../io/faulty-database.ts";
import { DEFAULT_SENDERS } from "../../simulator/default-world.ts";
import type { Dice } from "./dice.ts";
import { BOUNDARIES, type Happening, type Member, type What, type WireTrouble } from "./plan.ts";

export type Surroundings = {
  readonly fleet: readonly Member[];
  /** How many there are. */
  readonly variants: number;
  readonly until: Millis;
};

/** One kind of trouble: it makes a few happenings, the first of them at its time. */
type Kind = {
  readonly name: string;
  /** How long passes between two of it, about, where a seed has it at its usual rate. */
  readonly every: Millis;
  readonly make: (dice: Dice, member: Member, around: Surroundings) => readonly Happening[];
};

/** What befalls the aggregators is always there; of the rest each seed has its own few kinds. */
export function happeningsOf(dice: Dice, around: Surroundings): Happening[] {
  const chosen = [...WORLD, ...dice.some(TROUBLES, dice.between(0, 7))];
  const made = chosen.flatMap((kind) => {
    const every = kind.every * dice.oneOf([0.5, 1, 1, 2]);
    const happenings: Happening[] = [];
    for (let at = dice.upTo(2 * every); at < around.until; at += 100 + dice.upTo(2 * every)) {
      for (const one of kind.make(dice, dice.oneOf(around.fleet), around))
        happenings.push({ ...one, at: Math.round(at + one.at) });
    }
    return happenings;
  });
  return made.filter(({ at }) => at < around.until).toSorted((one, other) => one.at - other.at);
}

const now = (what: What): Happening => ({ at: 0, ...what });
const after = (at: Millis, what: What): Happening => ({ at, ...what });

function exchangeOf(dice: Dice, { world }: Member) {
  return dice.oneOf(world.exchanges ?? USUAL_EXCHANGES);
}
/** Where a user's own aggregators are simulated, they have the usual exchanges. */
const USUAL_EXCHANGES = ["BINANCE", "KUCOIN", "OKX", "ASCENDEX"].map((name) => ({
  name,
  pairs: ["ETH-USDT"],
}));

const model = (member: Member, command: Extract<What, { do: "model" }>["command"]): What => ({
  do: "model",
  aggregator: member.watched.name,
  command,
});

const WORLD: readonly Kind[] = [
  {
    name: "exchange",
    every: 2 * MINUTE,
    make: (dice, member) => {
      const exchange = exchangeOf(dice, member).name;
      const bad = now(model(member, { do: "disable_exchange", exchange }));
      if (dice.chance(0.7)) return [bad];
      const good = model(member, { do: "enable_exchange", exchange });
      return [bad, after(dice.upTo(5 * MINUTE), good)];
    },
  },
  {
    name: "pair",
    every: 3 * MINUTE,
    make: (dice, member) => {
      const { name: exchange, pairs = [] } = exchangeOf(dice, member);
      const pair = pairs.length === 0 ? undefined : dice.oneOf(pairs);
      return pair === undefined ? [] : [now(model(member, { do: "disable_pair", exchange, pair }))];
    },
  },
  {
    name: "order",
    every: 6 * MINUTE,
    make: (dice, member) => {
      const { liquidations } = member.watched.watch;
      if (liquidations.length === 0) return [];
      const { id } = dice.oneOf(liquidations);
      return [
        now(model(member, { do: "set_order", id, status: dice.oneOf(["ACCEPTED", "ROUTING"]) })),
        after(1, model(member, { do: "freeze_order", id })),
      ];
    },
  },
  {
    name: "pool and swap",
    every: 6 * MINUTE,
    make: (dice, member) => {
      const [pool] = member.world.pools ?? [];
      const sender = dice.oneOf(DEFAULT_SENDERS);
      const swap = model(member, { do: "start_swap", sender, stuck: true });
      if (pool === undefined || dice.chance(0.5)) return [now(swap)];
      const { factory, pair } = pool;
      return [now(model(member, { do: "drain_pool", factory, pair, ratio: dice.upTo(0.9) }))];
    },
  },
];

const ENDPOINTS = [
  "all",
  "exchanges",
  "disabled",
  "liquidation",
  "enableExchange",
  "enablePair",
  "forceCancel",
];

/** A fault of the model, for a while or for so many requests. */
function fault(dice: Dice, member: Member, plan: Readonly<Record<string, unknown>>): Happening[] {
  const endpoint = dice.oneOf(ENDPOINTS);
  const set = { do: "set_fault", endpoint, fault: plan };
  if (dice.chance(0.5)) return [now(model(member, { ...set, times: dice.between(1, 8) }))];
  const clear = model(member, { do: "clear_faults", endpoint });
  return [now(model(member, set)), after(SECOND + dice.upTo(90 * SECOND), clear)];
}

function faultKind(name: string, plan: (dice: Dice) => Readonly<Record<string, unknown>>): Kind {
  return { name, every: 3 * MINUTE, make: (dice, member) => fault(dice, member, plan(dice)) };
}

function wireKind(name: string, trouble: (dice: Dice) => WireTrouble): Kind {
  return {
    name,
    every: 3 * MINUTE,
    make: (dice, { watched: { name: aggregator } }) => [
      now({ do: "wire", aggregator, trouble: trouble(dice) }),
      after(5 * SECOND + dice.upTo(2 * MINUTE), { do: "wire", aggregator, trouble: {} }),
    ],
  };
}

const command = (by: string, what: Extract<What, { do: "command" }>["command"]): What => ({
  do: "command",
  by,
  command: what,
});

const TROUBLES: readonly Kind[] = [
  faultKind("latency", (dice) => ({ kind: "latency", length: `${dice.between(1, 12)}s` })),
  faultKind("errors", (dice) => ({ kind: "status", status: dice.oneOf([500, 502, 503, 504]) })),
  faultKind("too many requests", (dice) => ({
    kind: "status",
    status: 429,
    ...(dice.chance(0.7) ? { retry_after: `${dice.between(1, 30)}s` } : {}),
  })),
  faultKind("refusals", (dice) => ({ kind: "status", status: dice.oneOf([400, 403, 404, 409]) })),
  faultKind("time-out after applying", (dice) => ({
    kind: "timeout_after_applying",
    ...(dice.chance(0.5) ? { close_after: `${dice.between(0, 10)}s` } : {}),
  })),
  faultKind("hang", () => ({ kind: "hang" })),
  faultKind("down", () => ({ kind: "down" })),
  faultKind("html", (dice) => ({ kind: "html", status: dice.oneOf([200, 502]) })),
  faultKind("truncated", () => ({ kind: "truncated" })),
  faultKind("empty", () => ({ kind: "empty" })),
  faultKind("stale", () => ({ kind: "stale" })),
  faultKind("lie", () => ({ kind: "lie" })),
  wireKind("slow network", (dice) => ({
    delay: { least: 5, most: dice.oneOf([500, 3_000, 6_000]) },
  })),
  wireKind("lossy network", (dice) => ({
    refused: dice.upTo(0.2),
    requestLost: dice.upTo(0.3),
    replyLost: dice.upTo(0.3),
    cut: dice.upTo(0.3),
  })),
  wireKind("odd entries", () => ({ oddEntry: 0.3 })),
  wireKind("shortened listings", () => ({ shortened: 0.3 })),
  {
    name: "flapping",
    every: 6 * MINUTE,
    make: (dice, member) => {
      const exchange = exchangeOf(dice, member).name;
      const every = `${dice.between(15, 120)}s`;
      return [now(model(member, { do: "flap", exchange, every, times: dice.between(2, 10) }))];
    },
  },
  {
    name: "adversary",
    every: 8 * MINUTE,
    make: (dice, { watched: { name: aggregator } }) => [
      now({
        do: "adversary",
        aggregator,
        after: SECOND + Math.round(dice.upTo(MINUTE)),
        times: dice.between(1, 6),
      }),
    ],
  },
  {
    name: "mass outage",
    every: 8 * MINUTE,
    make: (dice, member) =>
      dice
        .some(member.world.exchanges ?? USUAL_EXCHANGES, dice.between(2, 8))
        .map(({ name: exchange }) => now(model(member, { do: "disable_exchange", exchange }))),
  },
  {
    name: "crash",
    every: 4 * MINUTE,
    make: (dice, _member, { variants }) => [
      now({
        do: "crash",
        boundary: dice.oneOf(BOUNDARIES),
        downFor: dice.chance(0.5) ? 1 : Math.round(dice.upTo(2 * MINUTE)),
        variant: dice.between(0, variants - 1),
      }),
    ],
  },
  {
    name: "restart",
    every: 6 * MINUTE,
    make: (dice, _member, { variants }) => [
      now({
        do: "restart",
        downFor: Math.round(dice.upTo(MINUTE)),
        variant: dice.between(0, variants - 1),
      }),
    ],
  },
  {
    name: "disk fault",
    every: 5 * MINUTE,
    make: (dice) => [
      now({ do: "disk", fault: dice.oneOf(DISK_FAULTS) }),
      after(SECOND / 10 + dice.upTo(dice.oneOf([2, 30]) * SECOND), { do: "disk", fault: "none" }),
    ],
  },
  {
    name: "slow disk",
    every: 5 * MINUTE,
    make: (dice) => [
      now({ do: "slow_disk", length: dice.oneOf([5, 50, 500, 2_000]) }),
      after(5 * SECOND + dice.upTo(MINUTE), { do: "slow_disk", length: 0 }),
    ],
  },
  {
    name: "stall",
    every: 5 * MINUTE,
    make: (dice) => [now({ do: "stall", length: dice.oneOf([1, 5, 20, 90]) * SECOND })],
  },
  {
    name: "clock jump",
    every: 5 * MINUTE,
    make: (dice) => [
      now({ do: "clock", error: dice.oneOf([-3_600, -90, -10, -1, 0, 1, 10, 90, 3_600]) * SECOND }),
    ],
  },
  {
    name: "reload",
    every: 3 * MINUTE,
    make: (dice, _member, { variants }) => [
      now({ do: "reload", variant: dice.between(0, variants - 1) }),
    ],
  },
  {
    name: "kill switch",
    every: 6 * MINUTE,
    make: (dice) => {
      const until = SECOND + dice.upTo(2 * MINUTE);
      if (dice.chance(0.5))
        return [
          now({ do: "kill_file", exists: true }),
          after(until, { do: "kill_file", exists: false }),
        ];
      return [
        now(command("alice", { name: "kill", source: "operator" })),
        after(until, command("alice", { name: "unkill", source: "operator" })),
      ];
    },
  },
  {
    name: "holds",
    every: 3 * MINUTE,
    make: (dice, member, { until }) => {
      const exchange = exchangeOf(dice, member).name;
      const scope = dice.oneOf([
        {},
        { kind: "exchange" },
        { kind: "exchange", id: exchange },
        { aggregator: member.watched.name },
        { rule: "ExchangeDisabled" },
      ]);
      return [
        now({ do: "hold", by: "alice", scope, length: Math.round(MINUTE + dice.upTo(until)) }),
        after(dice.upTo(4 * MINUTE), { do: "end_longest", what: "hold" }),
      ];
    },
  },
  {
    name: "silences",
    every: 5 * MINUTE,
    make: (dice, member) => [
      now({
        do: "silence",
        by: "bob",
        scope: { aggregator: member.watched.name },
        length: Math.round(dice.upTo(10 * MINUTE)),
      }),
      after(dice.upTo(5 * MINUTE), { do: "end_longest", what: "silence" }),
    ],
  },
  {
    name: "approvals",
    every: MINUTE,
    make: (dice) => [
      now({ do: "decide", by: dice.oneOf(["alice", "bob"]), approves: dice.chance(0.85) }),
    ],
  },
  {
    name: "quarantine released",
    every: 5 * MINUTE,
    make: () => [now({ do: "end_longest", what: "quarantine" })],
  },
];
