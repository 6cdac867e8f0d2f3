/** Tests src/io/api/details: entity.ts, alert.ts, lifetimes.ts, rules.ts. */
import { describe, expect, it } from "vitest";
import { explain, explanationSentences } from "../../../../src/core/explain/explain.ts";
import type { AlertJson, EntityJson, RulesJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import type { ServerSource } from "../../../../src/io/api/server-source.ts";
import type { StoredFinding } from "../../../../src/io/journal/rows.ts";
import { repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../../core/world.ts";
import { sourceOf } from "../server-fixture.ts";

/** An exchange whose name has a slash was repaired, and is bad again. */
function twiceBad(): { readonly world: World; readonly found: StoredFinding[] } {
  const found: StoredFinding[] = [];
  const world = scriptedWorld({
    rules: [
      rule({ act: repair({ cooldownMs: 3_600_000 }) }),
      rule({ alert: "Other", kind: "pool" }),
    ],
  });
  world.onStep = (_event, { findings }) => {
    for (const finding of findings) found.push({ at: world.now, finding });
  };
  const sees = (status: string) =>
    world.sees("exchanges", [{ kind: "exchange", id: "A/B", facts: { name: "A/B", status } }]);
  sees("disabled");
  world.passes("5s");
  sees("enabled");
  world.passes("5s");
  sees("disabled");
  world.passes("5s");
  return { world, found };
}

async function ask(path: string, change: Partial<ServerSource> = {}): Promise<Response> {
  const { world, found } = twiceBad();
  const base = sourceOf(world);
  return createApp({
    ...base,
    explain: (name, entity) => {
      const explanation = explain(world.policy, world.state, name, entity, world.now);
      if (explanation === undefined) return { ok: false, problem: "there is no such rule" };
      const sentences = explanationSentences(world.policy.kinds, explanation);
      return { ok: true, value: { explanation, sentences } };
    },
    past: {
      ...base.past,
      historyOf: (key) =>
        found
          .filter(({ finding }) => finding.type === "alert" && finding.alert.key === key)
          .toReversed(),
    },
    outbox: () =>
      new Map([
        [
          "ops",
          {
            channel: "ops",
            subject: "alert ExchangeDisabled|bsc/exchange/A/B",
            waiting: { news: {} as never, number: 1, since: world.now, superseded: 0 },
          },
        ],
      ]),
    ...change,
  }).request(path);
}

describe("GET /api/v1/entities/…", () => {
  it("has facts with their meaning, each rule's guards, alerts, remediations and history", async () => {
    const reply = await ask(`/api/v1/entities/bsc/exchange/${encodeURIComponent("A/B")}`);
    expect(reply.status).toBe(200);
    const it_ = (await reply.json()) as EntityJson;
    expect(it_).toMatchObject({
      key: "bsc/exchange/A/B",
      entity: { condition: "bad", severity: "critical" },
      rules: [{ rule: "ExchangeDisabled" }],
      alerts: [{ alertname: "ExchangeDisabled", state: "firing" }],
      remediations: [{ action: "enable_exchange" }],
    });
    expect(it_.facts.find(({ name }) => name === "status")).toMatchObject({
      value: "disabled",
      type: "string",
      means: expect.stringContaining("enabled"),
    });
    const guards = it_.rules[0]?.explanation.action?.guards ?? [];
    expect(guards.filter(({ objects }) => objects).map(({ guard }) => guard)).toContain("cooldown");
    expect(it_.history.map(({ what }) => what)).toEqual(["firing", "resolved", "firing"]);
  });

  it("is not known if it is not there", async () => {
    const reply = await ask("/api/v1/entities/bsc/exchange/NONE");
    expect(reply.status).toBe(404);
    expect(await reply.json()).toEqual({
      error: "bsc/exchange/NONE is not known: never seen, or gone",
    });
  });
});

describe("GET /api/v1/alerts/…", () => {
  const path = `/api/v1/alerts/ExchangeDisabled/bsc/exchange/${encodeURIComponent("A/B")}`;

  it("has its runs, whom it was told, the rule's text, and why", async () => {
    const it_ = (await (await ask(path)).json()) as AlertJson;
    expect(it_.alert).toMatchObject({ state: "firing", suppressed: { reason: "cooldown" } });
    expect(it_.lifetimes.map(({ end, ended_at }) => [end, ended_at !== null])).toEqual([
      [null, false],
      ["ok", true],
    ]);
    expect(it_.told).toMatchObject([{ channel: "ops", waiting: true, told_state: null }]);
    expect(it_.rule_text).toContain("alert: ExchangeDisabled");
    expect(it_.sentences[0]).toContain("firing since");
    expect(it_.explanation?.action?.guards.length).toBeGreaterThan(10);
    expect(it_.remediations).toMatchObject([{ action: "enable_exchange" }]);
  });

  it("has its past though rule and entity are gone", async () => {
    const { world } = twiceBad();
    const view = {
      ...sourceOf(world).view(),
      alerts: new Map(),
      entities: new Map(),
      rules: new Map(),
    };
    const none = () => ({ ok: false, problem: "gone" }) as const;
    const reply = await ask(path, { view: () => view, explain: none });
    const it_ = (await reply.json()) as AlertJson;
    expect(it_).toMatchObject({ alert: null, entity: null, rule_text: null });
    expect(it_.lifetimes.length).toBe(2);
    const unknown = await ask("/api/v1/alerts/None/bsc/exchange/A", { explain: none });
    expect(unknown.status).toBe(404);
  });
});

describe("GET /api/v1/rules", () => {
  it("gives each rule with its text and its alerts, and its coverage if asked for", async () => {
    const { rules } = (await (await ask("/api/v1/rules")).json()) as RulesJson;
    expect(rules).toMatchObject([
      {
        alertname: "ExchangeDisabled",
        kind: "exchange",
        action: "enable_exchange",
        firing: 1,
        coverage: [],
      },
      { alertname: "Other", kind: "pool", action: null, firing: 0, last_fired_at: null },
    ]);
    const covered = (await (await ask("/api/v1/rules?coverage=true")).json()) as RulesJson;
    expect(covered.rules[0]?.coverage).toMatchObject([{ aggregator: "bsc", of: { read: 1 } }]);
  });
});
