import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { OverviewJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { DatabaseAway } from "../../../../src/io/postgres/database.ts";
import { DAY } from "../../../../src/domain/time.ts";
import { exchange, rule, template } from "../../../core/fixtures.ts";
import { scriptedWorld, START } from "../../../core/world.ts";
import { entitiesThen, eventfulWorld, sourceOf } from "../server-fixture.ts";

async function overviewOf(app: ReturnType<typeof createApp>): Promise<OverviewJson> {
  return (await (await app.request("/api/v1/overview")).json()) as OverviewJson;
}

describe("the overview", () => {
  it("begins with a verdict and what waits for a person, and counts alerts and entities", async () => {
    const world = eventfulWorld();
    const answer = await overviewOf(createApp(sourceOf(world)));
    expect(answer.verdict).toMatchObject({ tone: "bad", lines: { length: 3 } });
    expect(answer.proposals).toMatchObject([{ id: "p1", rule: "PairDisabled" }]);
    expect(answer.alert_groups).toMatchObject([
      { alertname: "ExchangeDisabled", severity: "critical", firing: 1, pending: 0 },
      { alertname: "PairDisabled", firing: 1, suppressed: [{ reason: "approval", alerts: 1 }] },
      { alertname: "Later", severity: "warning", firing: 0, pending: 1 },
    ]);
    expect(answer.aggregators[0]?.kinds.filter(({ kind }) => kind !== "aggregator")).toMatchObject([
      { kind: "exchange", total: 1, bad: 1, statuses: { disabled: 1 } },
      { kind: "liquidation", total: 1, statuses: { NEW: 1 } },
      { kind: "pair", total: 1, bad: 1 },
      { kind: "pool", total: 1, bad: 0, statuses: {} },
    ]);
    expect(answer.why_read_only).toMatch("no tokens file");
  });

  it("sums a rule up by the oldest of what fires, and by no alert that is over", async () => {
    const rules = [rule({ annotations: { summary: template("name") } })];
    const world = scriptedWorld({ rules });
    const sees = (...disabled: readonly string[]): void =>
      void world
        .sees(
          "exchanges",
          ["A", "B", "C", "D", "E"].map((id) =>
            exchange(id, disabled.includes(id) ? "disabled" : "enabled"),
          ),
        )
        .passes("20s");
    sees("A");
    sees("C");
    sees("B", "C");
    const { alert_groups: groups } = await overviewOf(createApp(sourceOf(world)));
    expect(groups).toMatchObject([{ firing: 2, resolved: 1, summary: "C" }]);
  });

  it("is shown while the database is away, with what was known to be kept before", async () => {
    const world = eventfulWorld();
    const source = sourceOf(world);
    let isAway = false;
    const recordSpan: typeof source.past.recordSpan = () => {
      if (isAway) throw new DatabaseAway("connect ECONNREFUSED");
      return { firstAt: START, lastAt: START };
    };
    const app = createApp({
      ...source,
      past: { ...source.past, reachesBackTo: () => START, recordSpan },
    });
    const before = await overviewOf(app);
    isAway = true;
    world.passes("1m");
    const during = await overviewOf(app);
    expect(during.at).not.toBe(before.at);
    expect(Date.parse(during.kept_since ?? "")).toBe(START);
    expect(during.alert_groups).toHaveLength(before.alert_groups.length);
  });

  it("says since when a rule fires, though another alert was pending before, or when it was over", async () => {
    const own = { forMs: 20_000, annotations: { summary: template("name") } };
    const world = scriptedWorld({ rules: [rule(own)] });
    const sees = (...disabled: readonly string[]): void =>
      void world.sees(
        "exchanges",
        ["A", "B"].map((id) => exchange(id, disabled.includes(id) ? "disabled" : "enabled")),
      );
    const groupNow = async (): Promise<unknown> =>
      (await overviewOf(createApp(sourceOf(world)))).alert_groups[0];
    const after = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
    sees("A");
    world.passes("10s");
    sees("A", "B");
    world.passes("12s");
    expect(await groupNow()).toMatchObject({
      firing: 1,
      pending: 1,
      summary: "A",
      since: after(20),
    });
    sees();
    world.passes("5s");
    expect(await groupNow()).toMatchObject({ firing: 0, resolved: 1, since: after(22) });
  });

  it("has a critical rule before a warning, though another alert of the latter is pending", async () => {
    const rules = [
      rule({ alert: "Down", severity: "critical" }),
      rule({ alert: "Slow", severity: "warning", forMs: 15_000 }),
    ];
    const world = scriptedWorld({ rules });
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "enabled")]).passes("20s");
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]).passes("1s");
    const { alert_groups: groups } = await overviewOf(createApp(sourceOf(world)));
    expect(groups).toMatchObject([
      { alertname: "Down", severity: "critical", firing: 2, pending: 0 },
      { alertname: "Slow", severity: "warning", firing: 1, pending: 1 },
    ]);
  });

  it("stays as large as it is, however much is watched", async () => {
    const sizeOf = async (count: number): Promise<number> => {
      const world = scriptedWorld({ rules: [rule({})] });
      world.sees(
        "exchanges",
        Array.from({ length: count }, (_, index) => exchange(`E${index}`, "disabled")),
      );
      return JSON.stringify(await overviewOf(createApp(sourceOf(world)))).length;
    };
    expect(await sizeOf(1_000)).toBeLessThan((await sizeOf(10)) + 50);
  });

  it("is made once a second, however many look, and compressed for who takes that", async () => {
    const world = eventfulWorld();
    let asked = 0;
    const own = sourceOf(world);
    const overview = (): ReturnType<typeof own.overview> => {
      asked += 1;
      return own.overview();
    };
    const app = createApp({ ...own, overview });
    const headers = { "accept-encoding": "gzip" };
    const first = await app.request("/api/v1/overview", { headers });
    expect(first.headers.get("content-encoding")).toBe("gzip");
    const answer = JSON.parse(gunzipSync(await first.arrayBuffer()).toString()) as OverviewJson;
    expect(answer).toEqual(await overviewOf(app));
    for (let turn = 0; turn < 50; turn += 1) await overviewOf(app);
    expect(asked).toBe(1);
    world.passes("1s");
    await overviewOf(app);
    expect(asked).toBe(2);
  });

  it("is current after a change, though a read from before it is answered only then", async () => {
    const world = scriptedWorld({ rules: [rule({})] });
    world.sees(
      "exchanges",
      Array.from({ length: 3_200 }, (_, index) => exchange(`E${index}`, "enabled")),
    );
    const own = sourceOf(world);
    const begun = Promise.withResolvers<undefined>();
    const overview = (): ReturnType<typeof own.overview> => {
      const shown = own.overview();
      begun.resolve(undefined);
      return shown;
    };
    const check = () => ({ allowed: true, name: "alice" }) as const;
    const app = createApp({ ...own, overview, gate: { ...own.gate, check } });
    // Every slice of the count is over at once, so that the call comes between two of them.
    let passed = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (passed += 1_000));
    onTestFinished(() => clock.mockRestore());
    let isAnswered = false;
    const early = overviewOf(app).finally(() => (isAnswered = true));
    await begun.promise;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ reason: "a drill" });
    const reply = await app.request("/api/v1/kill", { method: "POST", headers, body });
    expect([reply.status, isAnswered]).toEqual([200, false]);
    expect((await early).killed).toEqual([]);
    expect((await overviewOf(app)).killed).toHaveLength(1);
  });

  it("says of the past since when it had run, though its record had a gap since then", async () => {
    const world = eventfulWorld();
    const source = sourceOf(world, { entitiesAt: entitiesThen(world) });
    const past: typeof source.past = {
      ...source.past,
      reachesBackTo: () => START,
      restarts: () => [
        { at: START + 2, why: "gap" },
        { at: START + 1, why: "start" },
        { at: START, why: "start" },
      ],
    };
    const app = createApp({ ...source, past });
    const reply = await app.request(`/api/v1/overview?at=${new Date(world.now).toISOString()}`);
    const { started_at } = (await reply.json()) as OverviewJson;
    expect(started_at).toBe(new Date(START + 1).toISOString());
  });

  it("says of the past what stopped actions then, however long ago that began", async () => {
    const world = eventfulWorld();
    const hold = {
      id: "h7",
      owner: "ann",
      reason: "migration",
      scope: {},
      from: world.now,
      until: world.now + 30 * DAY,
    };
    const storm = { type: "storm", aggregator: "bsc", detail: "" } as const;
    const found = [
      { seq: 5, at: world.now, finding: { ...storm, rule: "Over", change: "ends_soon" } },
      { seq: 4, at: world.now, finding: { ...storm, rule: "Over", change: "began" } },
      { seq: 3, at: world.now, finding: { ...storm, rule: "Lasts", change: "began" } },
      { seq: 2, at: world.now, finding: { type: "hold", change: "began", hold, detail: "" } },
      { seq: 1, at: world.now, finding: { type: "kill", on: true, source: "file", detail: "it" } },
    ] as const;
    const entitiesAt = entitiesThen(world);
    world.now += 29 * DAY;
    const source = sourceOf(world, { entitiesAt });
    const past: typeof source.past = {
      ...source.past,
      reachesBackTo: () => START,
      between: ({ from, types }) => ({
        found: found.filter(({ at, finding: { type } }) => from <= at && types.includes(type)),
        next: undefined,
      }),
    };
    const app = createApp({ ...source, past });
    const reply = await app.request(`/api/v1/overview?at=${new Date(world.now).toISOString()}`);
    const { holds, killed, storms, not_kept } = (await reply.json()) as OverviewJson;
    expect(holds.map(({ id }) => id)).toEqual(["h7"]);
    expect(killed.map(({ source: by }) => by)).toEqual(["file"]);
    // Acting may have grown slowly after the other one.
    expect(storms.map((one) => one.rule)).toEqual(["Lasts"]);
    expect(not_kept).toContain("ramp");
  });
});
