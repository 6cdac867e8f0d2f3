import type { Instant, Millis } from "../domain/time.ts";
import { HOUR, MINUTE, SECOND } from "../domain/time.ts";
import type { EntityLimits } from "../domain/limits.ts";
import type { ActingPolicy } from "../domain/step.ts";
import {
  DEFAULT_LIQUIDATIONS,
  DEFAULT_SENDERS,
  DEFAULT_WORLD,
} from "../simulator/model/default-world.ts";
import { USUAL, type Deployment } from "../simulator/deployment/deployment.ts";
import { seedRandom } from "../simulator/model/random.ts";
import { NOTHING_WATCHED } from "../pollers/poller.ts";
import { DEFAULT_STATUSES } from "../pollers/status-words.ts";
import { DEFAULT_CLIENT_SETTINGS } from "../io/aggregator/client.ts";
import { RandomChoices } from "./faults/random-choices.ts";
import { somePollers } from "./faults/some-pollers.ts";
import type { Member, Plan, RuleVariant, Variant } from "./plan.ts";
import { atThatRate, manySenders } from "./replicas/many-senders.ts";
import { clockRates } from "./replicas/clock-rates.ts";
import { scheduleOf } from "./faults/schedule.ts";

/** The options of a swarm. Everything else comes from the seed. */
export type SwarmOptions = {
  /** How long there are faults; the calm that follows is not counted. */
  readonly faultsFor: Millis;
  /** How long the calm lasts, in which everything must come right. */
  readonly calmFor: Millis;
  /** The user's own settings; if set, settings and rules are not varied, only the world around them is. */
  readonly own?: Own | undefined;
  /** A scenario says what happens to the first aggregator, in place of random faults of aggregators. */
  readonly hasScenario?: boolean;
  /** How many replicas share a database. */
  readonly replicas?: number | undefined;
  /** How many units they spread the watched senders over. */
  readonly shards?: number | undefined;
};

export type Own = {
  readonly fleet: ReadonlyArray<Member["watched"]>;
  readonly variant: Variant;
};

/** Units and words that a deployment may have, in replies of the usual shape. */
const DEPLOYMENTS: ReadonlyArray<Partial<Deployment>> = [
  {},
  { instants: "seconds", statuses: "lower" },
  { instants: "iso", numbers: "texts" },
];

/** An ordinary Monday, the same for all seeds. */
const STARTS_AT: Instant = Date.UTC(2026, 0, 5, 7, 0, 0);

/**
 * Makes the plan of a seed. Each has its own fleet, settings, rules and few kinds of faults: if everything went wrong
 * at once, most bugs would hide behind the noise of the others.
 */
export function planOf(seed: number, options: SwarmOptions): Plan {
  const random = new RandomChoices(seedRandom(seed));
  const members = options.own === undefined ? someFleet(random) : options.own.fleet.map(modelled);
  // From the seed itself: a random draw here would change the rest of the run.
  const said = options.own === undefined ? (DEPLOYMENTS[seed % DEPLOYMENTS.length] ?? {}) : {};
  const deployment = { ...USUAL, ...said };
  const shards = options.replicas === undefined ? undefined : options.shards;
  const watched = shards === undefined ? members : members.slice(0, 1).map(manySenders);
  const fleet = watched.map((member) => ({ ...member, etags: seed % 2 === 0, deployment }));
  const [first, ...others] =
    options.own === undefined ? someVariants(random) : [options.own.variant];
  const variants: Plan["variants"] =
    shards === undefined ? [first, ...others] : [atThatRate(first), ...others.map(atThatRate)];
  return {
    seed,
    startsAt: STARTS_AT + Math.floor(random.upTo(24 * HOUR)),
    faultsEndAfter: options.faultsFor,
    endsAfter: options.faultsFor + options.calmFor,
    fleet,
    variants,
    replicas: clockRates(seed, options.replicas),
    shards,
    events: scheduleOf(random, new RandomChoices(seedRandom(seed + 3)), {
      hasReplicas: options.replicas !== undefined,
      fleet,
      variants: variants.length,
      until: options.faultsFor,
      hasScenario: options.hasScenario === true,
    }),
  };
}

const NAMES = ["bsc", "eth", "polygon"] as const;

function someFleet(random: RandomChoices): Member[] {
  return NAMES.slice(0, random.oneOf([1, 1, 1, 2, 3])).map((name) => someMember(random, name));
}

function someMember(random: RandomChoices, name: string): Member {
  const pairs = DEFAULT_WORLD.pairs.slice(0, random.between(2, 10));
  const known = new Set(pairs.map((pair) => pair.name));
  const exchanges = DEFAULT_WORLD.exchanges
    .map((one) => ({ ...one, pairs: (one.pairs ?? []).filter((pair) => known.has(pair)) }))
    .slice(0, random.between(1, 8));
  const isBusy = random.chance(0.35);
  return {
    watched: {
      name,
      pollers: somePollers(random),
      watch: {
        ...NOTHING_WATCHED,
        senders: DEFAULT_SENDERS.slice(0, random.between(0, 2)).map((address) => ({ address })),
        liquidations: DEFAULT_LIQUIDATIONS.slice(0, random.between(0, 2)).map((id) => ({ id })),
      },
      statuses: DEFAULT_STATUSES,
      client: {
        ...DEFAULT_CLIENT_SETTINGS,
        rate: isBusy
          ? { requestsPerSecond: 2, concurrency: random.oneOf([1, 1, 2]) }
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
        stuck: random.chance(0.3),
      })),
      background: random.chance(0.2),
      repeated_toggle: random.oneOf(["ok", "conflict"]),
    },
  };
}

/** The model of an aggregator that a user watches: the usual one, with the watched senders and orders. */
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

function someVariants(random: RandomChoices): [Variant, ...Variant[]] {
  const first = someVariant(random);
  const others = Array.from({ length: random.between(0, 2) }, () => likewise(random, first));
  return [first, ...others];
}

function someVariant(random: RandomChoices): Variant {
  const windows = random.chance(0.15)
    ? [
        {
          name: "nightly",
          schedule: `*/${random.oneOf([10, 15, 20])} * * * *`,
          timeZone: random.oneOf(["UTC", "Europe/Berlin", "America/New_York"]),
          durationMs: random.between(1, 4) * MINUTE,
          scope: random.chance(0.5) ? {} : { kind: "exchange" },
          reason: "maintenance",
        },
      ]
    : [];
  return {
    acting: someActing(random),
    maintenance: windows,
    limits: random.oneOf(LIMITS),
    rules: someRules(random),
  };
}

function someActing(random: RandomChoices): ActingPolicy {
  return {
    mode: random.weighted([
      [12, "act"],
      [2, "propose"],
      [1, "shadow"],
    ]),
    budget: { max: random.between(1, 8), perMs: random.between(2, 20) * MINUTE },
    budgets: random.chance(0.4)
      ? { enable_exchange: { max: random.between(1, 3), perMs: random.between(2, 10) * MINUTE } }
      : {},
    settleAfterStartMs: random.between(0, 30) * SECOND,
    maxAgeMs: random.oneOf([2, 10, 20, 30, 60]) * SECOND,
    confirmWithinMs: random.oneOf([3, 5, 8, 15]) * SECOND,
    approvalExpiresAfterMs: random.between(1, 20) * MINUTE,
    undoWindowMs: random.between(2, 20) * MINUTE,
    undoLimit: random.between(1, 3),
    rampIntervalMs: random.between(10, 60) * SECOND,
  };
}

function someRules(random: RandomChoices): RuleVariant {
  const mode = random.weighted([
    [11, "act"],
    [4, "propose"],
    [1, "shadow"],
  ] as const);
  return {
    mode,
    pace: random.oneOf([0.05, 0.1, 0.2, 0.5, 1]),
    ...(random.chance(0.6) ? { budgetMax: random.between(1, 4) } : {}),
    ...(random.chance(0.6) ? { attempts: random.between(1, 3) } : {}),
    ...(random.chance(0.5)
      ? {
          storm: {
            max: random.between(1, 4),
            maxRatio: random.oneOf([0.3, 0.5, 1]),
            withinMs: random.oneOf([0, 1, 3, 10]) * MINUTE,
          },
        }
      : {}),
    ...(mode === "propose" || random.chance(0.3) ? { approvals: random.between(1, 2) } : {}),
  };
}

/** Low enough that a flood of names exceeds them, and high enough for everything in a fleet. */
export const LIMITS: readonly [EntityLimits, ...EntityLimits[]] = [
  { entities: 60, entitiesPerEntry: 5, vanished: 20 },
  { entities: 100, entitiesPerEntry: 5, vanished: 5 },
  { entities: 300, entitiesPerEntry: 5, vanished: 100 },
];

const RULES_TO_LEAVE_OUT = ["ExchangeDisabled", "PairDisabled", "LiquidationStuck", "PollStale"];
/** The variant after an edit: some parts are drawn again, and one rule may be left out. */
function likewise(random: RandomChoices, { acting, maintenance, limits, rules }: Variant): Variant {
  return {
    acting: random.chance(0.5) ? acting : someActing(random),
    maintenance,
    limits: random.chance(0.5) ? limits : random.oneOf(LIMITS),
    rules: {
      ...(random.chance(0.5) ? rules : someRules(random)),
      ...(random.chance(0.4) ? { without: [random.oneOf(RULES_TO_LEAVE_OUT)] } : {}),
    },
  };
}
