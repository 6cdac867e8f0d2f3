/** Tests src/io/api/explain.ts: which entity is asked about. */
import { expect, it } from "vitest";
import { explainPast, pastSentences } from "../../../src/core/explain/explain-past.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { entityKey } from "../../../src/domain/entity.ts";
import { eventfulWorld, sourceOf } from "./server-fixture.ts";

/** What a daemon that watches these aggregators answers; it says which entity it was asked about. */
async function explained(aggregators: readonly string[], query: string) {
  const source = sourceOf(eventfulWorld(), {
    names: () => ({ aggregator: aggregators, kind: ["exchange", "pair"], rule: ["R"] }),
    explain: (_rule, entity) => ({ ok: false, problem: entityKey(entity) }),
  });
  const reply = await createApp(source).request(`/api/v1/explain?rule=R&${query}`);
  return { status: reply.status, body: await reply.json() };
}

it("takes an entity with its aggregator, as the alerts print it, also if several are watched", async () => {
  const asked = await explained(["bsc", "eth"], "entity=eth/pair/A/ORN-USDT");
  expect(asked).toEqual({ status: 404, body: { error: "eth/pair/A/ORN-USDT" } });
  const twice = await explained(["bsc", "eth"], "entity=eth/exchange/A&aggregator=eth");
  expect(twice.body).toEqual({ error: "eth/exchange/A" });
});

it("refuses an aggregator that contradicts the entity's", async () => {
  expect(await explained(["bsc", "eth"], "entity=eth/exchange/A&aggregator=bsc")).toMatchObject({
    status: 400,
    body: { problems: ["aggregator: bsc contradicts eth/exchange/A, which is on eth"] },
  });
});

it("needs the aggregator if several are watched and the entity does not name it", async () => {
  expect(await explained(["bsc", "eth"], "entity=exchange/A")).toMatchObject({
    status: 400,
    body: { problems: ["aggregator: there are several (bsc, eth); say which"] },
  });
  expect((await explained(["bsc"], "entity=exchange/A")).body).toEqual({ error: "bsc/exchange/A" });
});

it("does not say of a past instant that a rule has no alert if there is no such rule", async () => {
  const world = eventfulWorld();
  const source = sourceOf(world, {
    explain: (rule, entity, at = 0) => {
      const question = { rule, entity, at, found: [] };
      const sentences = pastSentences(world.policy.kinds, question, []);
      return { ok: true, value: { explanation: explainPast(question), sentences } };
    },
  });
  const asked = async (rule: string): Promise<unknown> => {
    const at = new Date(world.now - 1_000).toISOString();
    const path = `/api/v1/explain?rule=${rule}&entity=exchange/A&at=${at}`;
    const reply = await createApp(source).request(path);
    const { error, told } = (await reply.json()) as { error?: string; told?: readonly string[] };
    return [reply.status, error ?? told?.[0]];
  };
  expect(await asked("ExchangeDisabeld")).toEqual([
    404,
    'there is no rule "ExchangeDisabeld" (did you mean "ExchangeDisabled"?)',
  ]);
  expect(await asked("ExchangeDisabled")).toEqual([
    200,
    "ExchangeDisabled on bsc/exchange/A: no alert.",
  ]);
});
