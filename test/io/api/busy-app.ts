import { inOneSlice, toEnd } from "../../../src/domain/slices.ts";
import { createHash } from "node:crypto";
import { entityKey } from "../../../src/domain/entity.ts";
import { setUnknown } from "../../../src/core/entity-index.ts";
import type { Status } from "../../../src/core/explain/status.ts";
import type { WatchReading } from "../../../src/domain/watch.ts";
import { createPollHistory } from "../../../src/io/api/lists/poll-history.ts";
import { viewOf } from "../../../src/io/api/lists/view.ts";
import { rule } from "../../core/fixtures.ts";
import { createTokenGate } from "../../../src/io/api/tokens.ts";
import type { RuleCoverage } from "../../../src/core/explain/coverage.ts";
import type { Slices } from "../../../src/domain/slices.ts";
import { createApp } from "../../../src/io/api/server.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { keptOf } from "./busy-past.ts";
import { eventfulWorld, sourceOf } from "./server-fixture.ts";

const AT = Date.UTC(2026, 0, 1);

const READING: WatchReading = {
  aggregator: "bsc",
  entries: [
    { kind: "sender", target: "0x1", alias: "desk", key: "0x1", origins: ["api"], source: "api" },
  ],
  sources: [{ source: "file", name: "w.yaml", entries: [], successAt: AT, problem: "it is bad" }],
  conflicts: ["they disagree"],
  sweeps: [],
};

const ENTITY = { aggregator: "bsc", kind: "exchange", id: "A" };

const POLLED = {
  type: "polled",
  aggregator: "bsc",
  poller: "exchanges",
  origin: "poll",
  outcome: "failed",
  durationMs: 5,
} as const;

/** Everything about it is known. */
const EXPLANATION = {
  at: AT,
  rule: "R",
  entity: ENTITY,
  judgement: {
    at: AT,
    condition: {
      source: "false",
      verdict: { truth: "unknown", reason: "it was not read" },
      facts: [{ name: "status", value: "disabled" }],
      reading: {
        poller: "exchanges",
        askedAt: AT,
        failure: undefined,
        doubt: "contradiction: both",
      },
      unknownSince: AT,
    },
    forMs: 0,
    keepFiringForMs: 0,
    action: {
      name: "enable_exchange",
      mode: "act",
      guards: [{ reason: "held", objects: true, detail: "alice" }],
    },
  },
} as const;

const LACKED = { facts: "expires", entities: 2 };

const TOKEN = "a-token-of-a-reader";
/** The headers of a caller who may read what needs a token. */
export const READER = { authorization: `Bearer ${TOKEN}` };
/** Lets such a caller pass. */
export const READERS_GATE = createTokenGate({
  tokens: () => [
    { name: "rita", sha256: createHash("sha256").update(TOKEN).digest("hex"), scopes: ["read"] },
  ],
  clock: { now: () => AT },
  onRefused: () => {},
});

/** A server that has something in every field of every answer. */
export function busyApp(change: Partial<ServerSource> = {}) {
  const world = eventfulWorld();
  const { now, state } = world;
  const named = { aggregator: "bsc", kind: "exchange", id: "A" };
  const known = state.tables.entity.get(entityKey(named));
  if (known !== undefined) known.facts = { ...known.facts, alias: "desk" };
  const scope = { aggregator: "bsc", kind: "exchange", id: "A", rule: "R" };
  world.commands({ name: "hold", scope, until: now + 1 });
  world.commands({ name: "silence", scope, until: now + 1 });
  world.commands({ name: "silence", scope: named, until: now + 1 });
  world.commands({ name: "kill", source: "operator" });
  world.commands({ name: "deny", proposal: "p1" });
  const since = now - 1;
  const about = { rule: "R", aggregator: "bsc", detail: "5 of 6 are bad" };
  state.tables.quarantine.set("bsc/exchange/A", { since, reason: "undone" });
  state.tables.storm.set("S", { ...about, since, clearedAt: since });
  for (const entity of state.tables.entity.values()) setUnknown(state, entity, since);
  const base = sourceOf(world);
  const polls = createPollHistory();
  polls.note(now - 1, { ...POLLED, detail: "status: 503" });
  const status = (): Status => fillIn(toEnd(base.status()));
  const [alert] = status().alerts;
  const { remediations } = status();
  const silences = [...state.tables.silence.values()];
  const explanation = { ...EXPLANATION, alert, silences, remediations };
  const busy: Partial<ServerSource> = {
    status: inOneSlice(status),
    overview: status,
    view: () => {
      const view = viewOf(world.policy, state);
      const inhibiting = { ...rule(), inhibitedBy: ["PollFailing"] };
      return {
        ...view,
        rules: new Map(view.rules).set("ExchangeDisabled", inhibiting),
        remediations: new Map(remediations.map((one) => [one.id, one])),
        alerts: new Map([
          ...status().alerts.map((one) => [one.key, one] as const),
          ...status()
            .alerts.slice(0, 1)
            .map(
              (one) =>
                [
                  "P",
                  {
                    ...one,
                    rule: "PollFailing",
                    entity: { ...ENTITY, kind: "poller", id: POLLED.poller },
                  },
                ] as const,
            ),
        ]),
      };
    },
    polls,
    ...keptOf(world),
    coverage: (aggregator) => lacking(base.coverage(aggregator)),
    replica: () => "standby: b; a/1 has the lease.",
    notices: () => ["the last reload failed"],
    watched: () => [READING],
    explain: () => ({ ok: true, value: { explanation, sentences: ["R fires."] } }),
    findings: () => [
      { at: AT, finding: { type: "entity", entity: named, change: "appeared", detail: "seen" } },
      { at: AT, finding: { type: "kill", source: "operator", on: true, detail: "d" } },
      {
        at: AT,
        finding: {
          type: "command",
          by: "alice",
          reason: "why",
          name: "kill",
          subject: "",
          accepted: true,
          detail: "d",
        },
      },
    ],
  };
  return createApp(sourceOf(world, { ...busy, ...change }));
}

/** What no short story brings about, for each that has it. */
function fillIn(status: Status): Status {
  const { at } = status;
  return {
    ...status,
    alerts: status.alerts.map((one) => ({
      ...one,
      resolvedAt: at,
      unknownSince: at,
      unknownBecause: "no sure reading",
      openRemediation: "r1",
      inhibitedBy: ["PollFailing"],
      silencedBy: ["s2"],
      silencedUntil: at + 1,
      annotations: { summary: "Wrong.", runbook_url: "docs/runbooks/ExchangeDisabled.md" },
      suppressed: { reason: "held", detail: "alice", since: at },
    })),
    aggregators: status.aggregators.map((own) => ({ ...own, coverage: own.coverage.map(lack) })),
    remediations: status.remediations.map((one) => ({ ...one, settledAt: at, approvedBy: "bob" })),
    proposals: status.proposals.map((one) => ({
      ...one,
      approvals: [{ by: "bob", reason: "checked", at }],
      withdrawn: { at, why: "amount was 10, is 10000" },
      because: "p0 was withdrawn: the rule was changed",
    })),
    channels: [
      {
        name: "ops",
        type: "webhook",
        waiting: 2,
        oldest: at,
        deliveredAt: at,
        failingSince: at,
        retryAt: at,
        lastError: { at, detail: "refused" },
      },
    ],
  };
}

function lack(one: RuleCoverage): RuleCoverage {
  return { ...one, lacks: [LACKED], waitsFor: [LACKED] };
}

function* lacking(slices: Slices<readonly RuleCoverage[]>): Slices<readonly RuleCoverage[]> {
  return (yield* slices).map(lack);
}
