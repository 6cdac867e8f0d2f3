/** Tests src/io/api/explain.ts: which entity is asked about. */
import { expect, it } from "vitest";
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
