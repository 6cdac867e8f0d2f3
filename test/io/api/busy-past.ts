import type { Finding } from "../../../src/domain/finding.ts";
import { aboutOf } from "../../../src/io/api/details/about-finding.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import type { EntityPast } from "../../../src/io/api/past/entity-past.ts";
import type { StoredFinding } from "../../../src/io/journal/rows.ts";
import type { World } from "../../core/world.ts";
import { entitiesThen } from "./server-fixture.ts";

/** The journal and the record: each alert fired before, an operator did something, and notifications went out. */
export function keptOf(world: World): Partial<ServerSource> {
  const { now, state } = world;
  const alerts = [...state.tables.alert.values()];
  const [first] = alerts;
  if (first === undefined) throw new Error("there is no alert");
  const before = { startedAt: now - 9, firedAt: now - 8, resolvedAt: now - 5 };
  const ended = { ...before, state: "resolved", resolvedBecause: "ok" } as const;
  const found: StoredFinding[] = alerts.map((alert) => {
    const finding = {
      type: "alert",
      change: "resolved",
      alert: { ...alert, ...ended },
      detail: "d",
    };
    return { at: now - 5, finding: finding as Finding };
  });
  const kill = { type: "command", name: "kill", by: "alice", reason: "why", subject: "" } as const;
  found.unshift({ at: now, finding: { ...kill, accepted: true, detail: "d" } });
  const { key, rule, severity, entity, labels, annotations, startedAt } = first;
  const alert = { key, rule, severity, entity, labels, annotations, startedAt, firedAt: now };
  const news = { ...alert, type: "alert", state: "firing" } as const;
  const row = { channel: "ops", subject: `alert ${key}`, told: { news, at: now } };
  const past: EntityPast = {
    from: now - 9,
    until: now,
    states: [{ at: now - 9, state: "seen", status: "disabled" }],
    rules: [],
    bucketMs: 500,
    facts: [{ name: "base", buckets: [{ from: now - 9, min: 1, max: 3, last: 2 }] }],
  };
  return {
    past: {
      historyOf: (of) => found.filter(({ finding }) => aboutOf(finding).alert === of),
      between: ({ before }) => ({
        found: found.map((one, seq) => ({ ...one, seq })),
        next: before === undefined ? { at: now, seq: 1 } : undefined,
      }),
      alertsAfter: () => ({ found: [], next: undefined }),
      restarts: () => [],
      reachesBackTo: () => now - 9,
      recordSpan: () => ({ firstAt: now - 9, lastAt: now }),
    },
    outbox: () =>
      new Map([["ops", { ...row, waiting: { news, number: 1, since: now, superseded: 0 } }]]),
    entitiesAt: entitiesThen(world, { notKept: ["pool"] }),
    entityPast: () => Promise.resolve({ ok: true, value: past }),
  };
}
