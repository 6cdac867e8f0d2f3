/** Tests src/io/api/lists/entities.ts. */
import { describe, expect, it } from "vitest";
import { repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../../core/world.ts";
import type { EntitiesJson } from "../../../../src/io/api/answers.ts";
import { entityKey } from "../../../../src/domain/entity.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";

async function ask(world: World, query: string): Promise<EntitiesJson> {
  const reply = await createApp(sourceOf(world)).request(`/api/v1/entities?${query}`);
  expect(reply.status, query).toBe(200);
  return (await reply.json()) as EntitiesJson;
}

const keys = ({ entities }: EntitiesJson) => entities.map(({ kind, id }) => `${kind}/${id}`);

/** Twenty exchanges, every fourth of them disabled. */
function exchanges(): World {
  const world = scriptedWorld({ rules: [rule({ act: repair() })] });
  const listed = Array.from({ length: 20 }, (_, index) => ({
    kind: "exchange",
    id: `E${String(index).padStart(2, "0")}`,
    facts: { name: `E${index}`, status: index % 4 === 0 ? "disabled" : "enabled" },
  }));
  world.sees("exchanges", listed);
  return world;
}

describe("GET /api/v1/entities", () => {
  it("gives each entity with its facts, its condition and its open alerts", async () => {
    const answer = await ask(eventfulWorld(), "kind=pair");
    expect(answer.total).toBe(1);
    expect(answer.entities).toMatchObject([
      {
        aggregator: "bsc",
        kind: "pair",
        id: "A/ORN-USDT",
        parent: { kind: "exchange", id: "A" },
        status: "disabled",
        condition: "bad",
        alerts: 1,
        severity: "critical",
        facts: { asset_pair: "ORN-USDT" },
        unknown_since: null,
      },
    ]);
  });

  it("counts by kind what the query finds, whatever kind and condition it asks for", async () => {
    const { counts } = await ask(exchanges(), "kind=pool&condition=bad");
    expect(counts).toEqual([
      {
        kind: "exchange",
        total: 20,
        ok: 15,
        bad: 5,
        unknown: 0,
        statuses: { disabled: 5, enabled: 15 },
      },
    ]);
  });

  it.each([
    ["condition=bad", ["E00", "E04", "E08", "E12", "E16"]],
    ["status=disabled&text=e1", ["E12", "E16"]],
    ["fact=name%3DE7", ["E07"]],
    ["fact=name%3DE7&fact=status%3Ddisabled", []],
    ["fact=status%3Ddisabled&fact=status%3Denabled&kind=exchange", []],
    ["fact=name%3DE7&fact=name%3DE7", ["E07"]],
    ["text=e08%20DISABLED", ["E08"]],
    ["text=.*", []],
    ["aggregator=bsc&text=nothing", []],
  ])("filters: %s", async (query, ids) => {
    const answer = await ask(exchanges(), query);
    expect(answer.entities.map(({ id }) => id)).toEqual(ids);
    expect(answer.total).toBe(ids.length);
  });

  it("finds a timestamp as it is shown", async () => {
    const world = eventfulWorld();
    const created = "2025-12-31T23:58:30.000Z";
    const found = await ask(world, `fact=created%3D${created}`);
    expect(found.entities).toMatchObject([{ id: "0x5f", facts: { created } }]);
  });

  it.each(["first_seen", "since"] as const)("finds and sorts by the fact %s", async (name) => {
    const world = scriptedWorld({ rules: [] });
    const sees = (...ids: readonly string[]): void =>
      void world
        .sees(
          "exchanges",
          ids.map((id) => ({ kind: "exchange", id, facts: { name: id, status: "enabled" } })),
        )
        .passes("5s");
    sees("B");
    sees("B", "A");
    const all = await ask(world, `kind=exchange&sort=fact.${name}`);
    expect(keys(all)).toEqual(["exchange/B", "exchange/A"]);
    const [first] = all.entities;
    const found = await ask(world, `kind=exchange&fact=${name}%3D${first?.[name]}`);
    expect(keys(found)).toEqual(["exchange/B"]);
  });

  it.each([
    "key",
    "-key",
    "condition",
    "-condition",
    "status",
    "since",
    "-fact.name",
    "fact.toString",
  ])("gives every entity once, page by page, sorted by %s as in one page", async (sort) => {
    const world = exchanges();
    const whole = keys(await ask(world, `sort=${sort}`));
    expect(new Set(whole).size).toBe(20);
    const paged: string[] = [];
    let cursor = "";
    do {
      const page = await ask(world, `sort=${sort}&limit=3${cursor}`);
      paged.push(...keys(page));
      cursor = page.next === null ? "" : `&cursor=${page.next}`;
    } while (cursor !== "");
    expect(paged).toEqual(whole);
  });

  it("sorts the worst first, and by a fact the other way round", async () => {
    const worst = await ask(exchanges(), "sort=condition&limit=5");
    expect(new Set(worst.entities.map(({ condition }) => condition))).toEqual(new Set(["bad"]));
    const names = (await ask(exchanges(), "sort=-fact.name&limit=2")).entities;
    expect(names.map(({ id }) => id)).toEqual(["E09", "E08"]);
  });

  it("goes on after the last page's end although what it ended with is gone", async () => {
    const world = exchanges();
    const { next } = await ask(world, "limit=10");
    world.state.tables.entity.delete("bsc/exchange/E09");
    const page = await ask(world, `limit=10&cursor=${next}`);
    expect(page.entities[0]?.id).toBe("E10");
  });

  it("refuses the cursor of another list, and is refused there", async () => {
    const world = exchanges();
    const app = createApp(sourceOf(world));
    const { next } = await ask(world, "limit=10");
    for (const list of ["entities", "alerts", "remediations", "timeline"]) {
      const reply = await app.request(`/api/v1/${list}?cursor=${next}`);
      expect(reply.status, list).toBe(list === "entities" ? 200 : 400);
      if (reply.status === 200) continue;
      const problems = ["cursor: must be the `next` of an answer of this list"];
      expect(await reply.json()).toEqual({ error: "the query is wrong", problems });
    }
  });

  it("says what is wrong with a query", async () => {
    const app = createApp(sourceOf(exchanges()));
    for (const [query, problem] of [
      ["sort=beauty", "sort: must be one of key, condition, status"],
      ["cursor=abc", "cursor: must be the `next` of an answer of this list"],
      ["limit=0", "limit: "],
      ["limit=1001", "limit: "],
      ["fact=name", "fact: "],
    ]) {
      const reply = await app.request(`/api/v1/entities?${query}`);
      expect(reply.status, query).toBe(400);
      const { problems } = (await reply.json()) as { problems: string[] };
      expect(problems.join(), query).toContain(problem);
    }
  });

  it("gives the aggregator's own text as text alone, whatever it is", async () => {
    const world = scriptedWorld({ rules: [] });
    const hostile = '</script><script>alert(1)\u0000\u202e"__proto__';
    const facts = { name: hostile, status: "__proto__" };
    world.sees("exchanges", [{ kind: "exchange", id: hostile, facts }]);
    const answer = await ask(world, `text=${encodeURIComponent("<SCRIPT>")}`);
    expect(answer.entities).toMatchObject([{ id: hostile, status: "__proto__" }]);
    expect(Object.entries(answer.counts[0]?.statuses ?? {})).toEqual([["__proto__", 1]]);
  });

  it("lets the event loop turn while it goes through many", async () => {
    const source = sourceOf(exchanges());
    const view = source.view();
    const one = view.entities.values().find(({ kind }) => kind === "exchange");
    if (one === undefined) throw new Error("nothing is known");
    const many = Array.from({ length: 60_000 }, (_, index) => ({ ...one, id: `E${index}` }));
    const entities = new Map(many.map((entity) => [entityKey(entity), entity]));
    const app = createApp({ ...source, view: () => ({ ...view, entities }) });
    let turns = 0;
    let isAnswered = false;
    const turn = (): void => {
      turns += 1;
      if (!isAnswered) setImmediate(turn);
    };
    setImmediate(turn);
    const answer = (await (await app.request("/api/v1/entities")).json()) as EntitiesJson;
    isAnswered = true;
    expect(answer.total).toBe(60_000);
    expect(turns).toBeGreaterThan(1);
  });
});
