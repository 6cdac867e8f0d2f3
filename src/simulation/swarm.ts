import type { Instant, Millis } from "../domain/time.ts";
import { HOUR, MINUTE, SECOND } from "../domain/time.ts";
import type { ActingPolicy } from "../domain/step.ts";
import {
  DEFAULT_LIQUIDATIONS,
  DEFAULT_SENDERS,
  DEFAULT_WORLD,
} from "../simulator/model/default-world.ts";
import { seedRandom } from "../simulator/model/random.ts";
import { DEFAULT_STATUSES, NOTHING_WATCHED, type PollerName } from "../pollers/poller.ts";
import { DEFAULT_CLIENT_SETTINGS } from "../io/aggregator/client.ts";
import { Dice } from "./faults/dice.ts";
import type { Member, Plan, RuleVariant, Variant } from "./plan.ts";
import { happeningsOf } from "./faults/planned.ts";

/** What a swarm is asked for. Everything else comes from the seed. */
export type SwarmOptions = {
  /** How long things break; the calm that follows is not counted. */
  readonly faultsFor: Millis;
  /** How long the calm lasts in which all must come right. */
  readonly calmFor: Millis;
  /** The user's own settings and rules: they are not varied then, only the world around them is. */
  readonly own?: Own | undefined;
  /** A scenario tells what befalls the aggregators; nothing else does. */
  readonly isTold?: boolean;
};

export type Own = {
  readonly fleet: ReadonlyArray<Member["watched"]>;
  readonly variant: Variant;
};

/** An ordinary Monday; the same for all, so that a run depends on nothing but its seed. */
const STARTS_AT: Instant = Date.UTC(2026, 0, 5, 7, 0, 0);

/**
 * Makes a run of a seed. Each seed has its own fleet, settings and rules, and its own few kinds of
 * trouble: where everything goes wrong at once, most bugs hide behind the noise of the others.
 */
export function planOf(seed: number, options: SwarmOptions): Plan {
  const dice = new Dice(seedRandom(seed));
  const members = options.own === undefined ? someFleet(dice) : options.own.fleet.map(modelled);
  // Every second seed: no die is thrown for it, so that the rest of the run stays as it was.
  const fleet = members.map((member) => ({ ...member, etags: seed % 2 === 0 }));
  const variants =
    options.own === undefined ? someVariants(dice) : ([options.own.variant] as const);
  const { faultsFor, calmFor } = options;
  return {
    seed,
    startsAt: STARTS_AT + Math.floor(dice.upTo(24 * HOUR)),
    faultsEndAfter: faultsFor,
    endsAfter: faultsFor + calmFor,
    fleet,
    variants,
    happenings: happeningsOf(dice, {
      fleet,
      variants: variants.length,
      until: faultsFor,
      isTold: options.isTold === true,
    }),
  };
}

const NAMES = ["bsc", "eth", "polygon"] as const;

function someFleet(dice: Dice): Member[] {
  return NAMES.slice(0, dice.oneOf([1, 1, 1, 2, 3])).map((name) => someMember(dice, name));
}

function someMember(dice: Dice, name: string): Member {
  const pairs = DEFAULT_WORLD.pairs.slice(0, dice.between(2, 10));
  const known = new Set(pairs.map((pair) => pair.name));
  const exchanges = DEFAULT_WORLD.exchanges
    .map((one) => ({ ...one, pairs: (one.pairs ?? []).filter((pair) => known.has(pair)) }))
    .slice(0, dice.between(1, 8));
  const isBusy = dice.chance(0.35);
  return {
    watched: {
      name,
      pollers: somePollers(dice),
      watch: {
        ...NOTHING_WATCHED,
        senders: DEFAULT_SENDERS.slice(0, dice.between(0, 2)).map((address) => ({ address })),
        liquidations: DEFAULT_LIQUIDATIONS.slice(0, dice.between(0, 2)).map((id) => ({ id })),
      },
      statuses: DEFAULT_STATUSES,
      client: {
        ...DEFAULT_CLIENT_SETTINGS,
        rate: isBusy
          ? { requestsPerSecond: 2, concurrency: dice.oneOf([1, 1, 2]) }
          : DEFAULT_CLIENT_SETTINGS.rate,
      },
    },
    world: {
      exchanges,
      pairs,
      pools: DEFAULT_WORLD.pools.filter(({ pair }) => known.has(pair)),
      liquidations: DEFAULT_LIQUIDATIONS.map((id) => ({
        id,
        pair: pairs[0]?.name,
        stuck: dice.chance(0.3),
      })),
      background: dice.chance(0.2),
      repeated_toggle: dice.oneOf(["ok", "conflict"]),
    },
  };
}

/** The model of an aggregator that a user watches: the usual one, with what is watched in it. */
function modelled(watched: Member["watched"]): Member {
  const { senders, liquidations } = watched.watch;
  return {
    watched,
    world: {
      senders: senders.map(({ address }) => address),
      liquidations: liquidations.map(({ id }) => ({ id })),
    },
  };
}

const SCHEDULES: Readonly<Partial<Record<PollerName, readonly number[]>>> = {
  exchanges: [5, 10, 10, 15],
  liquidations: [15, 15, 30],
  pools: [15, 30, 60],
  swaps: [30, 30, 60],
  swap_history: [60],
};

function somePollers(dice: Dice): Member["watched"]["pollers"] {
  return (Object.entries(SCHEDULES) as Array<[PollerName, readonly number[]]>).flatMap(
    ([name, choices]) => {
      const seconds = dice.oneOf(choices);
      const isOn = name === "exchanges" || dice.chance(0.7);
      if (!isOn) return [];
      const schedule = seconds === 60 ? "0 * * * * *" : `*/${seconds} * * * * *`;
      const intervalMs = seconds * SECOND;
      return [{ name, schedule, intervalMs, staleAfterMs: 3 * intervalMs }];
    },
  );
}

function someVariants(dice: Dice): [Variant, ...Variant[]] {
  const first = someVariant(dice);
  const others = Array.from({ length: dice.between(0, 2) }, () => likewise(dice, first));
  return [first, ...others];
}

function someVariant(dice: Dice): Variant {
  const windows = dice.chance(0.15)
    ? [
        {
          name: "nightly",
          schedule: `*/${dice.oneOf([10, 15, 20])} * * * *`,
          timeZone: dice.oneOf(["UTC", "Europe/Berlin", "America/New_York"]),
          durationMs: dice.between(1, 4) * MINUTE,
          scope: dice.chance(0.5) ? {} : { kind: "exchange" },
          reason: "maintenance",
        },
      ]
    : [];
  return { acting: someActing(dice), maintenance: windows, rules: someRules(dice) };
}

function someActing(dice: Dice): ActingPolicy {
  return {
    ceiling: dice.weighted([
      [12, "act"],
      [2, "propose"],
      [1, "shadow"],
    ]),
    budget: { max: dice.between(1, 8), perMs: dice.between(2, 20) * MINUTE },
    budgetByAction: dice.chance(0.4)
      ? { enable_exchange: { max: dice.between(1, 3), perMs: dice.between(2, 10) * MINUTE } }
      : {},
    settleAfterStartMs: dice.between(0, 30) * SECOND,
    maxAgeMs: dice.oneOf([2, 10, 20, 30, 60]) * SECOND,
    confirmWithinMs: dice.oneOf([3, 5, 8, 15]) * SECOND,
    approvalExpiresAfterMs: dice.between(1, 20) * MINUTE,
    undoWindowMs: dice.between(2, 20) * MINUTE,
    undoLimit: dice.between(1, 3),
    rampIntervalMs: dice.between(10, 60) * SECOND,
  };
}

function someRules(dice: Dice): RuleVariant {
  const mode = dice.weighted([
    [11, "act"],
    [4, "propose"],
    [1, "shadow"],
  ] as const);
  return {
    mode,
    pace: dice.oneOf([0.05, 0.1, 0.2, 0.5, 1]),
    ...(dice.chance(0.6) ? { budgetMax: dice.between(1, 4) } : {}),
    ...(dice.chance(0.6) ? { attempts: dice.between(1, 3) } : {}),
    ...(dice.chance(0.5)
      ? { storm: { max: dice.between(1, 4), maxRatio: dice.oneOf([0.3, 0.5, 1]) } }
      : {}),
    ...(mode === "propose" || dice.chance(0.3) ? { approvals: dice.between(1, 2) } : {}),
  };
}

const RULES_TO_LEAVE_OUT = ["ExchangeDisabled", "PairDisabled", "LiquidationStuck", "PollStale"];

/** Somebody has edited a few things since: mostly one rule, or one setting. */
function likewise(dice: Dice, { acting, maintenance, rules }: Variant): Variant {
  return {
    acting: dice.chance(0.5) ? acting : someActing(dice),
    maintenance,
    rules: {
      ...(dice.chance(0.5) ? rules : someRules(dice)),
      ...(dice.chance(0.4) ? { without: [dice.oneOf(RULES_TO_LEAVE_OUT)] } : {}),
    },
  };
}
