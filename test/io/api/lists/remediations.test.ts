/** Tests src/io/api/lists/remediations.ts. */
import { describe, expect, it } from "vitest";
import type { RemediationsJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { openJournal } from "../../../../src/io/journal/journal.ts";
import { repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../../core/world.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { sourceOf } from "../server-fixture.ts";

const begin = (): World =>
  scriptedWorld({ rules: [rule({ act: repair({ cooldownMs: 3_600_000 }) })] });

/** Two repairs, of A and then of B. */
function twice(world: World): World {
  const exchange = (id: string, status: string) => ({
    kind: "exchange",
    id,
    facts: { name: id, status },
  });
  const others = ["C", "D", "E", "F"].map((id) => exchange(id, "enabled"));
  for (const statuses of [
    ["disabled", "enabled"],
    ["enabled", "disabled"],
  ]) {
    world.passes("20s");
    const listed = statuses.map((status, index) => exchange("AB"[index] ?? "", status));
    world.sees("exchanges", [...listed, ...others]);
    world.passes("20s");
  }
  return world;
}

const idsOf = async (reply: Response): Promise<readonly string[]> =>
  ((await reply.json()) as RemediationsJson).remediations.map(({ entity }) => entity.id);

describe("GET /api/v1/remediations", () => {
  it.each([
    ["", ["B", "A"]],
    ["entity=exchange/A", ["A"]],
    ["entity=bsc/exchange/B", ["B"]],
    ["entity=bsc/exchange/C", []],
    ["text=EXCHANGE/b", ["B"]],
    ["text=enable_exchange&entity=exchange/A", ["A"]],
    ["text=nothing+such", []],
    ["sort=requested_at&limit=1", ["A"]],
  ])("filters and sorts: %s", async (query, expected) => {
    const app = createApp(sourceOf(twice(begin())));
    expect(await idsOf(await app.request(`/api/v1/remediations?${query}`))).toEqual(expected);
  });

  it("says what people call an entity, as the alerts do", async () => {
    const world = begin();
    const order = (id: string, status: string) => ({
      kind: "exchange",
      id,
      facts: { name: id, status, ...(id === "A" ? { alias: "the big one" } : {}) },
    });
    const others = ["B", "C", "D", "E"].map((id) => order(id, "enabled"));
    world
      .passes("20s")
      .sees("exchanges", [order("A", "disabled"), ...others])
      .passes("20s");
    const app = createApp(sourceOf(world));
    expect(await idsOf(await app.request("/api/v1/remediations?text=Big+one"))).toEqual(["A"]);
    // Wherever they are listed.
    for (const path of ["remediations", "overview", "entities/bsc/exchange/A"]) {
      const reply = await app.request(`/api/v1/${path}`);
      expect(((await reply.json()) as RemediationsJson).remediations, path).toMatchObject([
        { entity: { id: "A" }, alias: "the big one" },
      ]);
    }
  });

  it("filters what was done until an instant that is past, too", async (context) => {
    const directory = temporaryDirectory();
    const opened = openJournal(directory.path);
    if (!opened.ok) throw new Error(opened.problem);
    const journal = opened.value;
    context.onTestFinished(() => {
      journal.close();
      directory.remove();
    });
    const instants: number[] = [];
    const world = begin();
    world.onStep = (_event, { findings }) => {
      const at = world.now;
      journal.commit({ at, changes: [], findings: findings.map((finding) => ({ at, finding })) });
      if (findings.some(({ type }) => type === "remediation")) instants.push(at);
    };
    twice(world);
    const app = createApp(sourceOf(world, { past: journal }));
    const then = new Date(instants[0] ?? 0).toISOString();
    const ask = async (query: string) =>
      await idsOf(await app.request(`/api/v1/remediations?at=${then}&${query}`));
    expect(await ask("")).toEqual(["A"]);
    expect(await ask("entity=exchange/A&text=exchange")).toEqual(["A"]);
    expect(await ask("entity=exchange/B")).toEqual([]);
  });
});

it.each(["alerts", "remediations", "timeline"])(
  "/api/v1/%s refuses what cannot be an entity, and says how one is named",
  async (list) => {
    const reply = await createApp(sourceOf(begin())).request(`/api/v1/${list}?entity=BINANCE`);
    expect([reply.status, await reply.json()]).toEqual([
      400,
      {
        error: "the query is wrong",
        problems: ["entity: must be kind/id, such as exchange/BINANCE"],
      },
    ]);
  },
);
