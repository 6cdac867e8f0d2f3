/** Tests src/io/api/lists/scope.ts. */
import { expect, it } from "vitest";
import type { ScopeJson } from "../../../../src/io/api/answers.ts";
import { viewOf } from "../../../../src/io/api/lists/view.ts";
import { inForceOf, type InForce } from "../../../../src/io/api/past/in-force.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { exchange, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, START, type World } from "../../../core/world.ts";
import { entitiesThen, sourceOf } from "../server-fixture.ts";

/** Two exchanges, of which one is disabled, and three pairs, of which one is disabled. */
function world(): World {
  const made = scriptedWorld({
    rules: [rule({}), rule({ alert: "PairDisabled", kind: "pair" })],
  });
  const exchange = (id: string, status: string) => ({
    kind: "exchange",
    id,
    facts: { name: id, status },
  });
  const pair = (own: string, of: string, status: string) => ({
    kind: "pair",
    id: `${of}/${own}`,
    parent: { kind: "exchange", id: of },
    facts: { exchange: of, name: own, status },
  });
  made.sees("exchanges", [exchange("A", "disabled"), exchange("B", "enabled")]);
  return made.sees("liquidations", [
    pair("X", "A", "disabled"),
    pair("Y", "A", "enabled"),
    pair("X", "B", "enabled"),
  ]);
}

async function covered(query: string): Promise<readonly [entities: number, alerts: number]> {
  const reply = await createApp(sourceOf(world())).request(`/api/v1/scope?${query}`);
  expect(reply.status, query).toBe(200);
  const { entities, alerts } = (await reply.json()) as ScopeJson;
  return [entities, alerts];
}

it("GET /api/v1/scope counts what belongs to an entity, or to the entities of a kind", async () => {
  expect(await covered("kind=exchange&id=A")).toEqual([3, 2]);
  expect(await covered("kind=exchange&id=B")).toEqual([2, 0]);
  expect(await covered("kind=exchange")).toEqual([5, 2]);
  expect(await covered("kind=pair")).toEqual([3, 1]);
  expect(await covered("id=C")).toEqual([0, 0]);
});

it("GET /api/v1/scope counts what is about watching, too, and of one aggregator only its own", async () => {
  const entities = world().state.tables.entity;
  const pollers = [...entities.values()].filter(({ kind }) => kind === "poller").length;
  expect(pollers).toBeGreaterThan(0);
  expect(await covered("kind=poller")).toEqual([pollers, 0]);
  expect(await covered("")).toEqual([entities.size, 2]);
  expect(await covered("aggregator=bsc")).toEqual([entities.size, 2]);
  expect(await covered("aggregator=eth")).toEqual([0, 0]);
  expect(await covered("aggregator=bsc&rule=ExchangeDisabled")).toEqual([2, 1]);
  expect(await covered("kind=poller&rule=PairDisabled")).toEqual([0, 0]);
});

it("GET /api/v1/scope counts of a rule only what it judges, and nothing if the rule is gone", async () => {
  expect(await covered("rule=PairDisabled")).toEqual([3, 1]);
  expect(await covered("rule=PairDisabled&kind=exchange&id=A")).toEqual([2, 1]);
  expect(await covered("rule=ExchangeDisabled&kind=pair")).toEqual([0, 0]);
  expect(await covered("rule=Gone")).toEqual([0, 0]);
});

it("GET /api/v1/scope counts of a rule nothing of an aggregator that it does not judge", async () => {
  const known = scriptedWorld({ rules: [rule({ aggregators: ["eth"] })] });
  known.sees("exchanges", [exchange("A", "disabled"), exchange("B", "enabled")]);
  const app = createApp(sourceOf(known));
  for (const query of ["rule=ExchangeDisabled", "aggregator=bsc&rule=ExchangeDisabled"]) {
    const reply = await app.request(`/api/v1/scope?${query}`);
    expect(await reply.json(), query).toMatchObject({ entities: 0, alerts: 0 });
  }
});

it("GET /api/v1/scope counts what the reply to a hold of the same scope says", async () => {
  const held = world().commands({ name: "hold", scope: {}, until: START + 60_000 });
  const [entities, alerts] = await covered("");
  const said = `it covers ${entities} entities now, with ${alerts} alerts pending or firing`;
  expect(held.found("command").at(-1)?.detail).toContain(said);
});

it("GET /api/v1/scope counts the entities that there were at an instant in the past", async () => {
  const known = world();
  const [first] = known.state.tables.entity;
  const entities = new Map(first === undefined ? [] : [first]);
  const past = { ...sourceOf(known).past, reachesBackTo: () => START };
  const entitiesAt = entitiesThen(known, { entities });
  const app = createApp(sourceOf(known, { past, entitiesAt }));
  const at = new Date(known.now).toISOString();
  const reply = await app.request(`/api/v1/scope?at=${at}`);
  expect(await reply.json()).toMatchObject({ at, entities: 1 });
});

it("GET /api/v1/scope goes by the rules of the instant, if they were recorded", async () => {
  const known = world();
  const past = { ...sourceOf(known).past, reachesBackTo: () => START };
  const renamed = { ...known.policy, rules: new Map([["Renamed", rule({ alert: "Renamed" })]]) };
  const coveredThen = async (name: string, inForce: Partial<InForce>): Promise<number> => {
    const entitiesAt = entitiesThen(known, { inForce });
    const view = () => viewOf(renamed, known.state);
    const app = createApp(sourceOf(known, { past, entitiesAt, view }));
    const at = new Date(known.now).toISOString();
    const reply = await app.request(`/api/v1/scope?at=${at}&rule=${name}`);
    return ((await reply.json()) as ScopeJson).entities;
  };
  const then = inForceOf(known.policy, known.state);
  expect(await coveredThen("PairDisabled", then)).toBe(3);
  expect(await coveredThen("Renamed", then)).toBe(0);
  const elsewhere = rule({ alert: "PairDisabled", kind: "pair", aggregators: ["eth"] });
  const rules = new Map([["PairDisabled", elsewhere]]);
  const ofEth = inForceOf({ ...known.policy, rules }, known.state);
  expect(await coveredThen("PairDisabled", ofEth)).toBe(0);
  expect(await coveredThen("PairDisabled", {})).toBe(0);
  expect(await coveredThen("Renamed", {})).toBe(2);
});
