import { DEFAULT_LIMITS } from "../../src/domain/limits.ts";
import { indexRules } from "../../src/core/policy.ts";
import type { Action, ActionName } from "../../src/domain/action.ts";
import type { Facts, SeenEntity } from "../../src/domain/entity.ts";
import type { Condition, Rule, RuleAction, Template } from "../../src/domain/rule.ts";
import type { Proposal } from "../../src/domain/remediation.ts";
import { NO_CHANNELS } from "../../src/domain/notification.ts";
import type { ActingPolicy, Policy } from "../../src/domain/step.ts";
import { HOUR, MINUTE, SECOND, type Instant } from "../../src/domain/time.ts";
import { kinds } from "../../src/pollers/kinds.ts";

/** The values that the tests of the core are made of: entities, conditions, rules, actions, policy. */

export const AGGREGATOR = "bsc";

/** A condition as a closure. `undefined`, as with a fact that is missing, means unknown. */
export function condition(
  source: string,
  holds: (facts: Facts, now: Instant) => boolean | undefined,
  readsTime = false,
): Condition {
  return {
    source,
    readsTime,
    reads: [],
    judge: ({ facts, now }) => {
      const held = holds(facts, now);
      if (held === undefined) return { truth: "unknown", reason: `${source}: a fact is missing` };
      return { truth: held ? "bad" : "ok" };
    },
  };
}

/** Holds where the fact has the value, and is unknown where the fact is missing. */
export function factIs(fact: string, value: string | number | boolean): Condition {
  return condition(`${fact} == ${String(value)}`, (facts) =>
    facts[fact] === undefined ? undefined : facts[fact] === value,
  );
}

export function template(fact: string): Template {
  return {
    source: `{{ ${fact} }}`,
    reads: [fact],
    render: ({ facts }) => String(facts[fact] ?? "<unknown>"),
  };
}

export function repair(change: Partial<RuleAction> = {}): RuleAction {
  return {
    action: "enable_exchange",
    mode: "act",
    cooldownMs: 10 * MINUTE,
    attempts: 3,
    verifyWithinMs: MINUTE,
    budget: { max: 5, perMs: HOUR },
    storm: { max: 1_000, maxRatio: 1, withinMs: 600_000 },
    approvals: 1,
    ...change,
  };
}

/** `ExchangeDisabled`, bad at once and without an action, except for what is changed. */
export function rule(change: Partial<Rule> = {}): Rule {
  return {
    alert: "ExchangeDisabled",
    group: "exchanges",
    file: "rules/exchanges.yaml",
    line: 4,
    kind: "exchange",
    windows: [],
    when: factIs("status", "disabled"),
    forMs: 0,
    keepFiringForMs: 0,
    severity: "critical",
    labels: {},
    annotations: { summary: template("status") },
    inhibitedBy: [],
    hash: "",
    ...change,
  };
}

export function exchange(id: string, status: "enabled" | "disabled"): SeenEntity {
  const disabled = status === "disabled";
  return { kind: "exchange", id, facts: { name: id, status, listed: !disabled, disabled } };
}

export function pair(exchangeId: string, assetPair: string): SeenEntity {
  const name = `${exchangeId}/${assetPair}`;
  const facts = { name, exchange: exchangeId, asset_pair: assetPair, status: "disabled" };
  return { kind: "pair", id: name, parent: { kind: "exchange", id: exchangeId }, facts };
}

export function order(id: string, status: "STUCK" | "CANCELED", change: Facts = {}): SeenEntity {
  const final = status === "CANCELED";
  const facts = { order_id: id, name: id, status, open: !final, final, ...change };
  return { kind: "liquidation", id, facts };
}

export function pool(id: string, base: number): SeenEntity {
  return { kind: "pool", id, facts: { name: id, base } };
}

/** A proposal as the core makes it, of which nobody has decided anything. */
export function proposal(
  change: Pick<Proposal, "alert" | "alertStartedAt" | "rule" | "entity"> & Partial<Proposal>,
): Proposal {
  return {
    id: "p1",
    action: "enable_exchange",
    shown: { rule: "", call: { endpoint: "enableExchange", args: {} }, facts: {} },
    digest: "0123456789abcdef",
    proposedAt: 0,
    expiresAt: Infinity,
    approvals: [],
    former: [],
    announcement: { dueAt: 0, times: 0, isDone: false },
    ...change,
  };
}

const enableExchange: Action = {
  name: "enable_exchange",
  kind: "exchange",
  means: "Puts a disabled exchange back.",
  irreversible: false,
  call: ({ id }) => ({ endpoint: "enableExchange", args: { exchange: id } }),
  aim: (entity) => {
    if (entity === undefined) return "unknown";
    return entity.facts["status"] === "enabled" ? "reached" : "open";
  },
};

const enablePair: Action = {
  name: "enable_pair",
  kind: "pair",
  means: "Puts a disabled pair back.",
  irreversible: false,
  call: ({ facts: { exchange: name, asset_pair: assetPair } }) =>
    typeof name === "string" && typeof assetPair === "string"
      ? { endpoint: "enablePair", args: { exchange: name, assetPair } }
      : undefined,
  aim: (entity) => (entity === undefined ? "reached" : "open"),
};

const forceCancelOrder: Action = {
  name: "force_cancel_order",
  kind: "liquidation",
  means: "Cancels a stuck liquidation order.",
  irreversible: true,
  call: ({ id }) => ({ endpoint: "forceCancel", args: { orderId: id } }),
  aim: (entity) => {
    const final = entity?.facts["final"];
    if (final === undefined) return "unknown";
    return final === true ? "reached" : "open";
  },
};

export const actions: ReadonlyMap<ActionName, Action> = new Map(
  [enableExchange, enablePair, forceCancelOrder].map((action): [ActionName, Action] => [
    action.name,
    action,
  ]),
);

export const ACTING: ActingPolicy = {
  mode: "act",
  budget: { max: 20, perMs: HOUR },
  budgets: {},
  settleAfterStartMs: 0,
  maxAgeMs: 30 * SECOND,
  confirmWithinMs: 10 * SECOND,
  approvalExpiresAfterMs: HOUR,
  undoWindowMs: 30 * MINUTE,
  undoLimit: 2,
  rampIntervalMs: MINUTE,
};

export const POLLERS = ["exchanges", "liquidations", "pools"] as const;

/** The same policy if a whole poll of each poller reads just these surfaces. */
export function planning(policy: Policy, surfaces: readonly string[]): Policy {
  const aggregators = policy.aggregators.map((aggregator) => ({
    ...aggregator,
    pollers: aggregator.pollers.map((one) => ({ ...one, surfaces: new Set(surfaces) })),
  }));
  return { ...policy, aggregators };
}

/** One aggregator, each of its pollers due every ten seconds and stale after thirty. */
export function policyOf(
  rules: readonly Rule[],
  acting: Partial<ActingPolicy> = {},
  alsoPolled: readonly string[] = [],
): Policy {
  return {
    aggregators: [
      {
        name: AGGREGATOR,
        pollers: [...POLLERS, ...alsoPolled].map((name) => ({
          name,
          intervalMs: 10 * SECOND,
          staleAfterMs: 30 * SECOND,
        })),
      },
    ],
    kinds,
    actions,
    ...indexRules(rules),
    acting: { ...ACTING, ...acting },
    notify: NO_CHANNELS,
    limits: DEFAULT_LIMITS,
    resolvedRetentionMs: 15 * MINUTE,
    remediationRetentionMs: HOUR,
  };
}
