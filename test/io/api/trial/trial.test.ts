/** Tests src/io/api/trial, src/core/explain/trial.ts. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { exchange, pair, repair, rule } from "../../../core/fixtures.ts";
import { observed, partOf } from "../../../core/readings.ts";
import { scriptedWorld, World } from "../../../core/world.ts";
import type { TrialJson } from "../../../../src/io/api/answers.ts";
import type { Scope } from "../../../../src/config/settings/tokens.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { createTokenGate } from "../../../../src/io/api/tokens.ts";
import { sourceOf } from "../server-fixture.ts";

const TOKEN = "a-token-of-a-reader";

function exchanges(): World {
  const world = scriptedWorld({ rules: [rule({ act: repair() })] });
  const seen = (id: string, status: string | undefined) => ({
    kind: "exchange",
    id,
    facts: {
      name: id,
      ...(status === undefined ? {} : { status }),
      ...(id === "A" ? { alias: "the big one" } : {}),
    },
  });
  return world.sees("exchanges", [
    seen("A", "disabled"),
    seen("B", "disabled"),
    seen("C", "enabled"),
    seen("D", undefined),
  ]);
}

function appOf(world: World, scopes: readonly Scope[] = ["read"]) {
  const gate = createTokenGate({
    tokens: () => [
      { name: "rita", sha256: createHash("sha256").update(TOKEN).digest("hex"), scopes },
    ],
    clock: { now: () => world.now },
    onRefused: () => {},
  });
  return createApp(sourceOf(world, { gate }));
}

async function post(
  app: ReturnType<typeof appOf>,
  rules: string,
  write: (body: object) => string = JSON.stringify,
): Promise<Response> {
  return await app.request("/api/v1/try-rule", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: write({ rules }),
  });
}

async function attempt(world: World, rules: string): Promise<TrialJson> {
  const reply = await post(appOf(world), rules);
  expect(reply.status).toBe(200);
  return (await reply.json()) as TrialJson;
}

type Disabled = { readonly disabled: number; readonly of: number };

/** Two aggregators, and how many of their exchanges are disabled. */
function onTwo(first: Disabled, second: Disabled): World {
  const world = new World({ rules: [rule({})] });
  const [watched] = world.policy.aggregators;
  if (watched === undefined) throw new Error("no aggregator is watched");
  const aggregators = [watched, { ...watched, name: "eth" }];
  world.policy = { ...world.policy, aggregators };
  world.starts();
  for (const [aggregator, { disabled, of }] of [
    [watched.name, first],
    ["eth", second],
  ] as const) {
    const seen = Array.from({ length: of }, (_, index) =>
      exchange(`E${index}`, index < disabled ? "disabled" : "enabled"),
    );
    const event = observed("exchanges", [partOf("all", world.now, seen)]);
    if (event.type !== "observed") throw new Error("nothing is observed");
    world.tell({ ...event, observation: { ...event.observation, aggregator } });
  }
  return world;
}

const RULES = `
groups:
  - name: tried
    rules:
      - alert: Tried
        each: exchange
        when: exchange.status == "disabled" && exchange.name != "B"
        inhibited_by: [ExchangeDisabled]
        act:
          action: enable_exchange
          budget: { max: 1, per: 1h }
          storm: { max: 5, max_ratio: 0.1 }
`;

describe("POST /api/v1/try-rule", () => {
  it("says which entities are bad, why the others are not, and what the guards would say", async () => {
    const { problems, rules } = await attempt(exchanges(), RULES);
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        alertname: "Tried",
        counts: { ok: 2, bad: 1, unknown: 1 },
        bad: [
          {
            entity: { id: "A" },
            alias: "the big one",
            facts: [
              { name: "name", value: "A" },
              { name: "status", value: "disabled" },
            ],
          },
        ],
        unknown: [{ entity: { id: "D" }, alias: null, reason: expect.stringContaining("status") }],
        action: { name: "enable_exchange", is_storm: false },
      },
    ]);
    expect(rules[0]?.ok.map(({ entity }) => entity.id)).toEqual(["B", "C"]);
    const [bad] = rules[0]?.bad ?? [];
    expect(bad?.guards.map(({ guard }) => guard)).toEqual(
      expect.arrayContaining(["killed", "in_flight", "cooldown", "budget"]),
    );
    const all = await attempt(exchanges(), RULES.replace(' && exchange.name != "B"', ""));
    expect(all.rules[0]?.action?.is_storm).toBe(true);
  });

  it("says that it is a storm if it is one on an aggregator by itself", async () => {
    const text = RULES.replace(' && exchange.name != "B"', "").replace("0.1", "0.5");
    const isStorm = async (first: Disabled, second: Disabled): Promise<boolean | undefined> =>
      (await attempt(onTwo(first, second), text)).rules[0]?.action?.is_storm;
    expect(await isStorm({ disabled: 0, of: 8 }, { disabled: 2, of: 2 })).toBe(true);
    expect(await isStorm({ disabled: 3, of: 6 }, { disabled: 3, of: 6 })).toBe(false);
  });

  it("counts no share for a kind of which only those that are bad are listed", async () => {
    const world = scriptedWorld({ rules: [rule({})] });
    world.sees("exchanges", [pair("A", "BTC_USDT"), pair("A", "ETH_USDT")]);
    const text = RULES.replace("each: exchange", "each: pair")
      .replace(/when: .*/, 'when: pair.status == "disabled"')
      .replace("enable_exchange", "enable_pair");
    expect((await attempt(world, text)).rules[0]?.action?.is_storm).toBe(false);
    const one = text.replace("max: 5", "max: 1");
    expect((await attempt(world, one)).rules[0]?.action?.is_storm).toBe(true);
  });

  it("writes instants among facts as ISO 8601 text", async () => {
    const world = scriptedWorld({ rules: [rule({})] });
    const facts = { order_id: "o1", name: "o1", open: true, final: false, created: world.now };
    world.sees("liquidations", [{ kind: "liquidation", id: "o1", facts }]);
    const text = RULES.replace("exchange\n", "liquidation\n")
      .replace(/when: .*/, 'when: age(liquidation.created) > duration("1h")')
      .replace(/ {8}act:[^]*/, "")
      .replace(/ {8}inhibited_by.*\n/, "");
    const { rules } = await attempt(world, text);
    expect(rules[0]?.ok).toMatchObject([
      { facts: [{ name: "created", value: new Date(world.now).toISOString() }] },
    ]);
  });

  it("keeps nothing, and nothing comes of it", async () => {
    const world = exchanges();
    const before = JSON.stringify([...world.state.tables.alert, ...world.state.tables.entity]);
    const sent = world.sent.length;
    await attempt(world, RULES);
    expect(JSON.stringify([...world.state.tables.alert, ...world.state.tables.entity])).toBe(
      before,
    );
    expect(world.policy.rules.has("Tried")).toBe(false);
    expect(world.sent.length).toBe(sent);
  });

  it("shows every problem with its line and a caret, as check does", async () => {
    const { problems, rules } = await attempt(
      exchanges(),
      RULES.replace("exchange.status", "exchange.statuss"),
    );
    expect(rules).toEqual([]);
    expect(problems).toMatchObject([{ severity: "error", id: "rule/unknown-fact", line: 7 }]);
    expect(problems[0]?.rendered).toMatch(/\^/);
    expect((await attempt(exchanges(), "groups: [")).problems.length).toBeGreaterThan(0);
  });

  it("compiles nothing that aliases make larger than its text", async () => {
    const group = "- &g {name: a, rules: &r [{alert: A, each: pool, when: 'true'}]}";
    const { problems } = await attempt(exchanges(), `groups:\n${group}\n- {name: b, rules: *r}\n`);
    expect(problems).toMatchObject([
      { id: "yaml/unreadable", message: expect.stringContaining("Alias resolution is disabled") },
    ]);
  });

  it("answers with the first fifty problems, and says how many more there are", async () => {
    const text = "{{ nope }}".repeat(60);
    const { problems } = await attempt(
      exchanges(),
      `${RULES}        annotations: { summary: "${text}" }\n`,
    );
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toMatchObject({ message: "10 more problems are left out" });
  });

  it("tries ten groups at most", async () => {
    const groups = Array.from({ length: 11 }, (_, index) => `- { name: g${index}, rules: [] }\n`);
    expect((await attempt(exchanges(), `groups:\n${groups.join("")}`)).problems).toMatchObject([
      { message: "there are 0 rules in 11 groups; 10 can be tried at once" },
    ]);
  });

  it("tries ten rules at most, within a bounded text, one trial at a time", async () => {
    const many = Array.from(
      { length: 11 },
      (_, index) => `\n      - { alert: R${index}, each: pool, when: pool.base < 1.0 }`,
    );
    const head = "groups:\n  - name: g\n    rules:";
    expect((await attempt(exchanges(), head + many.join(""))).problems).toMatchObject([
      { id: "try/too-many", message: "there are 11 rules in 1 group; 10 can be tried at once" },
    ]);
    const app = appOf(exchanges());
    expect((await post(app, "x".repeat(12_001))).status).toBe(400);
    const both = await Promise.all([post(app, RULES), post(app, RULES)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect((await post(app, RULES)).status).toBe(200);
  });

  it("takes 12 000 characters, whatever they are and however JSON writes them", async () => {
    const rules = `${RULES}# ${"я".repeat(12_000 - RULES.length - 2)}`;
    const app = appOf(exchanges());
    expect((await post(app, rules)).status).toBe(200);
    const escaped = (body: object): string =>
      JSON.stringify(body).replaceAll("я", String.raw`\u044f`);
    expect((await post(app, rules, escaped)).status).toBe(200);
    expect((await post(app, `${rules}я`, escaped)).status).toBe(400);
    expect((await post(app, "я".repeat(50_000))).status).toBe(413);
  });

  it("needs a token that may read", async () => {
    const world = exchanges();
    expect((await post(appOf(world, ["approve"]), RULES)).status).toBe(403);
    const bare = await appOf(world).request("/api/v1/try-rule", { method: "POST" });
    expect(bare.status).toBe(401);
  });
});
