import { SCOPES } from "../../../src/config/settings/tokens.ts";
import { pageOf } from "../../../src/io/metrics/page-bytes.ts";
import { coverageOf } from "../../../src/core/explain/coverage.ts";
import { tryRule } from "../../../src/core/explain/trial.ts";
import { overviewOf, statusInSlices } from "../../../src/core/explain/status.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { createPollHistory } from "../../../src/io/api/lists/poll-history.ts";
import type { EntitiesThen } from "../../../src/io/api/past/moment.ts";
import { checkNames } from "../../../src/io/api/lists/known-names.ts";
import { viewOf } from "../../../src/io/api/lists/view.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { createTokenGate } from "../../../src/io/api/tokens.ts";
import { repair, rule } from "../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../core/world.ts";

/** What the record says that there was at any instant, if it is what there is in the world now. */
export function entitiesThen(
  world: World,
  change: Partial<EntitiesThen> = {},
): ServerSource["entitiesAt"] {
  const value: EntitiesThen = {
    entities: world.state.tables.entity,
    aggregators: ["bsc"],
    polls: createPollHistory(),
    since: world.now,
    gap: undefined,
    inForce: {},
    notKept: [],
    ...change,
  };
  return () => Promise.resolve({ ok: true, value });
}

/** Lets anyone in as alice, who may do everything. */
export const ALICES_GATE: ServerSource["gate"] = {
  isEnabled: () => true,
  check: () => ({ allowed: true, name: "alice" }),
  whose: () => ({ allowed: true, name: "alice", scopes: SCOPES }),
  holdBack: async () => {},
};

/** What the server shows, of a scripted world. */
export function sourceOf(world: World, change: Partial<ServerSource> = {}): ServerSource {
  const names = () => ({
    aggregator: world.policy.aggregators.map(({ name }) => name),
    kind: [...world.policy.kinds.keys()],
    rule: [...world.policy.rules.keys()],
  });
  return {
    version: "1.2.3",
    idle: () => Promise.resolve(),
    status: () => statusInSlices(world.policy, world.state),
    overview: () => overviewOf(world.policy, world.state),
    view: () => viewOf(world.policy, world.state),
    trial: (tried) =>
      tryRule(
        () => world.policy,
        () => world.state,
        tried,
      ),
    outbox: () => world.state.tables.notification,
    coverage: (aggregator) => coverageOf(world.policy, world.state, aggregator),
    past: {
      historyOf: () => [],
      reachesBackTo: () => undefined,
      between: () => ({ found: [], next: undefined }),
      alertsAfter: () => ({ found: [], next: undefined }),
      restarts: () => [],
      recordSpan: () => undefined,
    },
    entitiesAt: () => Promise.resolve({ ok: false, problem: "not kept: the record is empty" }),
    entityPast: () => Promise.resolve({ ok: false, problem: "not kept: the record is empty" }),
    polls: createPollHistory(),
    backtesting: {
      status: () => ({ state: "idle", progress: 0 }),
      start: () => true,
      cancel: () => {},
    },
    feed: { join: async () => {}, leave: () => {} },
    findings: () => [],
    metrics: async () => pageOf([{ bytes: Buffer.from("a_metric 1\n") }]),
    unhealthy: () => [],
    unready: () => [],
    unread: () => [],
    notices: () => [],
    mcp: () => false,
    access: () => ({ hosts: [], trustedProxies: [] }),
    gate: createTokenGate({
      tokens: () => undefined,
      clock: { now: () => world.now },
      onRefused: () => {},
    }),
    reload: () => ({ ok: false, problem: "nothing to reload" }),
    command: (by, reason, asked) => {
      const checked = checkNames(asked, names());
      if (!checked.ok)
        return {
          accepted: false,
          subject: "",
          detail: "",
          durable: false,
          problems: checked.problem,
        };
      world.tell({ type: "command", by, reason, command: checked.value });
      const found = world.found("command").at(-1);
      if (found === undefined) throw new Error("the command left no finding");
      return { ...found, durable: true };
    },
    names,
    now: () => world.now,
    explain: () => ({ ok: false, problem: "nothing to explain" }),
    watched: () => [],
    backUp: () => ({ ok: false, problem: "nothing to back up" }),
    onError: (path, error) => {
      throw new Error(`the page ${path} failed`, { cause: error });
    },
    ...change,
  };
}

/** A world with an entity of each kind, alerts, a remediation, a proposal, and a kill. */
export function eventfulWorld(): World {
  const world = scriptedWorld({
    rules: [
      rule({ act: repair() }),
      rule({
        alert: "PairDisabled",
        kind: "pair",
        act: repair({ action: "enable_pair", mode: "propose" }),
      }),
      rule({ alert: "Later", forMs: 600_000, severity: "warning" }),
    ],
  });
  world.sees("exchanges", [
    { kind: "exchange", id: "A", facts: { name: "A", status: "disabled" } },
    {
      kind: "pair",
      id: "A/ORN-USDT",
      parent: { kind: "exchange", id: "A" },
      facts: { name: "A/ORN-USDT", exchange: "A", asset_pair: "ORN-USDT", status: "disabled" },
    },
  ]);
  world.sees("pools", [{ kind: "pool", id: "F/P", facts: { name: "F/P", base: 1.5 } }]);
  world.polls("liquidations", { "0x5f": [orderCreated(world.now - 90_000)], "0x60": "failed" });
  world.passes("2s");
  return world;
}

function orderCreated(created: number): SeenEntity {
  const facts = {
    order_id: "0x5f",
    name: "0x5f",
    status: "NEW",
    open: true,
    final: false,
    created,
  };
  return { kind: "liquidation", id: "0x5f", facts };
}
