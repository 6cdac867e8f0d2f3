/** Tests src/io/api/details: entity.ts, alert.ts, lifetimes.ts, rules.ts. */
import { describe, expect, it } from "vitest";
import { explain, explanationSentences } from "../../../../src/core/explain/explain.ts";
import type {
  AlertJson,
  EntityHistoryJson,
  EntityJson,
  RulesJson,
} from "../../../../src/io/api/answers.ts";
import { aboutOf } from "../../../../src/io/api/details/about-finding.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import type { EntityPast, EntitySpan } from "../../../../src/io/api/past/entity-past.ts";
import { inForceOf } from "../../../../src/io/api/past/in-force.ts";
import type { ServerSource } from "../../../../src/io/api/server-source.ts";
import type { StoredFinding } from "../../../../src/io/journal/rows.ts";
import { repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, START, type World } from "../../../core/world.ts";
import { entitiesThen, sourceOf } from "../server-fixture.ts";

/** An exchange whose name has a slash was repaired, and is bad again. */
function twiceBad(): { readonly world: World; readonly found: StoredFinding[] } {
  const found: StoredFinding[] = [];
  const world = scriptedWorld({
    rules: [
      rule({ act: repair({ cooldownMs: 3_600_000 }) }),
      rule({ alert: "Other", kind: "pool" }),
    ],
    actions: "time_out",
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

it("says of a past entity whether its kind is not kept, or it was not known", async () => {
  const at = new Date(START + 10_000).toISOString();
  const world = scriptedWorld({ rules: [] });
  const entitiesAt = entitiesThen(world, { notKept: ["repair"] });
  const past = { ...sourceOf(world).past, reachesBackTo: () => START };
  const answer = async (key: string) => {
    const reply = await ask(`/api/v1/entities/bsc/${key}?at=${at}`, { entitiesAt, past });
    const { error } = (await reply.json()) as { error: string };
    return [reply.status, error];
  };
  expect(await answer("repair/exchange%2FA")).toEqual([
    410,
    "not kept: the past of what is of the kind repair is not in the record",
  ]);
  expect(await answer("exchange/A")).toEqual([404, "bsc/exchange/A was not known then"]);
});

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

  it("has the rules of an instant in the past, and their findings, though they are gone", async () => {
    const { world, found } = twiceBad();
    const base = sourceOf(world);
    const view = { ...base.view(), rules: new Map(), alerts: new Map() };
    const past = {
      ...base.past,
      reachesBackTo: () => START,
      historyOf: (key: string) => found.filter(({ finding }) => aboutOf(finding).alert === key),
    };
    const reply = await ask(
      `/api/v1/entities/bsc/exchange/A%2FB?at=${new Date(world.now).toISOString()}`,
      {
        view: () => view,
        past,
        entitiesAt: entitiesThen(world, { inForce: inForceOf(world.policy, world.state) }),
      },
    );
    const { rules, history } = (await reply.json()) as EntityJson;
    expect(rules).toMatchObject([{ rule: "ExchangeDisabled" }]);
    expect(history.map(({ type }) => type)).toContain("alert");
  });

  it("is not known if it is not there", async () => {
    const reply = await ask("/api/v1/entities/bsc/exchange/NONE");
    expect(reply.status).toBe(404);
    expect(await reply.json()).toEqual({
      error: "bsc/exchange/NONE is not known: never seen, or gone",
    });
  });
});

describe("GET /api/v1/entities/…/history", () => {
  const path = "/api/v1/entities/bsc/exchange/A%2FB/history?span=10m";
  /** It was there all the while, except for the time without a record. */
  const past: EntityPast = {
    from: START,
    until: START + 60_000,
    states: [
      { at: START, state: "absent", status: undefined },
      { at: START + 1_000, state: "seen", status: "disabled" },
      { at: START + 20_000, state: "not_recorded", status: undefined },
      { at: START + 30_000, state: "seen", status: "enabled" },
    ],
    rules: [],
    bucketMs: 500,
    facts: [{ name: "base", buckets: [{ from: START, min: 1, max: 3, last: 2 }] }],
  };

  it("has the condition from change to change, of what was read and of its alerts", async () => {
    const asked: EntitySpan[] = [];
    const answer = await ask(path, {
      now: () => START + 3_600_000,
      entityPast: (span) => {
        asked.push(span);
        return Promise.resolve({ ok: true, value: past });
      },
    });
    const { bands, facts, recorded_since: since } = (await answer.json()) as EntityHistoryJson;
    expect(since).toBeNull();
    expect(asked).toEqual([
      { key: "bsc/exchange/A/B", from: START + 3_000_000, until: START + 3_600_000 },
    ]);
    const conditions = bands.map(({ condition }) => condition);
    expect(conditions).toEqual(["bad", "bad", "ok", "bad", "not_recorded", "bad"]);
    expect(bands.map(({ status }) => status).slice(0, 2)).toEqual([null, "disabled"]);
    expect(bands.at(-1)?.until).toBe(new Date(START + 60_000).toISOString());
    expect(facts).toMatchObject([{ name: "base", buckets: [{ min: 1, max: 3, last: 2 }] }]);
  });

  it("was bad while an alert fired of a rule that was removed since", async () => {
    const { world } = twiceBad();
    const view = { ...sourceOf(world).view(), rules: new Map() };
    const answer = await ask(path, {
      view: () => view,
      entityPast: () =>
        Promise.resolve({ ok: true, value: { ...past, rules: ["ExchangeDisabled"] } }),
    });
    const { bands } = (await answer.json()) as EntityHistoryJson;
    const conditions = bands.map(({ condition }) => condition);
    expect(conditions).toEqual(["bad", "bad", "ok", "bad", "not_recorded", "bad"]);
  });

  it("was bad while an alert fired that began before all that is kept, and still fires", async () => {
    const base = sourceOf(twiceBad().world);
    const answer = await ask(path, {
      past: { ...base.past, historyOf: () => [] },
      entityPast: () => Promise.resolve({ ok: true, value: past }),
    });
    const { bands } = (await answer.json()) as EntityHistoryJson;
    const conditions = bands.map(({ condition }) => condition);
    expect(conditions).toEqual(["unknown", "ok", "bad", "not_recorded", "bad"]);
  });

  it("does not say that it was absent before the record had it, if it was there", async () => {
    const base = sourceOf(twiceBad().world);
    const view = { ...base.view(), alerts: new Map() };
    const answer = await ask(path, {
      view: () => view,
      past: { ...base.past, historyOf: () => [] },
      entityPast: () => Promise.resolve({ ok: true, value: past }),
    });
    const { bands } = (await answer.json()) as EntityHistoryJson;
    expect(bands.map(({ condition, status }) => [condition, status])).toEqual([
      ["unknown", null],
      ["ok", "disabled"],
      ["not_recorded", null],
      ["ok", "enabled"],
    ]);
  });

  it("is refused if the record does not have it, and if nothing was known of it", async () => {
    const none = await ask(path);
    expect([none.status, await none.json()]).toEqual([
      410,
      { error: "not kept: the record is empty" },
    ]);
    const states: EntityPast["states"] = [{ at: START, state: "absent", status: undefined }];
    const absent = await ask("/api/v1/entities/bsc/exchange/Z/history", {
      entityPast: () => Promise.resolve({ ok: true, value: { ...past, states } }),
    });
    expect(absent.status).toBe(404);
    const gap: EntityPast["states"] = [
      ...states,
      { at: START + 20_000, state: "not_recorded", status: undefined },
    ];
    const withGap = await ask("/api/v1/entities/bsc/exchange/Z/history", {
      entityPast: () => Promise.resolve({ ok: true, value: { ...past, states: gap } }),
    });
    expect(withGap.status).toBe(404);
    expect((await ask(path.replace("10m", "9d"))).status).toBe(400);
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
    const unknown = await ask("/api/v1/alerts/None/bsk/exchange/A", { explain: none });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({ error: "nothing is known of None on bsk/exchange/A" });
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

  it("says when a rule last fired, however many alerts it has", async () => {
    const view = sourceOf(twiceBad().world).view();
    const [one] = view.alerts.values();
    if (one === undefined) throw new Error("there is no alert");
    const many = Array.from({ length: 200_000 }, (_, index) => ({
      ...one,
      key: `${one.key}${index}`,
      firedAt: START + index,
    }));
    const alerts = new Map(many.map((alert) => [alert.key, alert]));
    const { rules } = (await (
      await ask("/api/v1/rules", { view: () => ({ ...view, alerts }) })
    ).json()) as RulesJson;
    expect(rules[0]?.last_fired_at).toBe(new Date(START + 199_999).toISOString());
  });
});
