/** Tests src/io/api/lists/alerts.ts. */
import { describe, expect, it } from "vitest";
import type { Scope } from "../../../../src/domain/rule.ts";
import { ruleHashes } from "../../../../src/core/change/reload.ts";
import { exchange, policyOf, repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../../core/world.ts";
import type { AlertsJson, OverviewJson, StatusJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";

async function ask(world: World, query: string): Promise<AlertsJson> {
  const reply = await createApp(sourceOf(world)).request(`/api/v1/alerts?${query}`);
  expect(reply.status, query).toBe(200);
  return (await reply.json()) as AlertsJson;
}

const names = ({ alerts }: AlertsJson) => alerts.map((one) => `${one.alertname} ${one.entity.id}`);

function manyBad(): World {
  const world = scriptedWorld({
    rules: [rule({ act: repair() }), rule({ alert: "Later", forMs: 600_000, severity: "warning" })],
  });
  const listed = ["A", "B", "C", "D", "E"].map((id) => ({
    kind: "exchange",
    id,
    facts: { name: id, status: "disabled" },
  }));
  world.sees("exchanges", listed);
  return world;
}

describe("GET /api/v1/alerts", () => {
  it("gives the worst first, and counts by rule whatever rule and state is asked for", async () => {
    const answer = await ask(eventfulWorld(), "alertname=Later&state=pending");
    expect(names(answer)).toEqual(["Later A"]);
    expect(answer.counts).toEqual([
      {
        alertname: "ExchangeDisabled",
        kind: "exchange",
        severity: "critical",
        pending: 0,
        firing: 1,
        resolved: 0,
      },
      {
        alertname: "PairDisabled",
        kind: "pair",
        severity: "critical",
        pending: 0,
        firing: 1,
        resolved: 0,
      },
      {
        alertname: "Later",
        kind: "exchange",
        severity: "warning",
        pending: 1,
        firing: 0,
        resolved: 0,
      },
    ]);
    const all = await ask(eventfulWorld(), "");
    expect(all.alerts.map(({ state }) => state)).toEqual(["firing", "firing", "pending"]);
  });

  it.each([
    ["state=firing&text=BSC/exchange/c", ["ExchangeDisabled C"]],
    ["entity=exchange/D&sort=alertname", ["ExchangeDisabled D", "Later D"]],
    ["severity=warning&limit=2", ["Later A", "Later B"]],
    ["severity=warning&sort=-entity&limit=1", ["Later E"]],
    ["label=severity%3Dwarning&limit=1", []],
    ["label=team%3Dops&limit=1", ["ExchangeDisabled A"]],
    ["label=team%3Dops&label=team%3Ddesk", []],
    ["kind=pool", []],
    ["suppressed=storm&sort=entity&limit=1", ["ExchangeDisabled A"]],
  ])("filters and sorts: %s", async (query, expected) => {
    const world = manyBad();
    for (const alert of world.state.tables.alert.values())
      alert.suppressed = { reason: "storm", detail: "5 of 5", since: world.now };
    for (const alert of world.state.tables.alert.values())
      if (alert.rule === "Later") delete alert.suppressed;
      else alert.labels = { team: "ops" };
    expect(names(await ask(world, query))).toEqual(expected);
  });

  it("counts a rule under the severity that its open alerts have, not that of one that is over", async () => {
    const world = scriptedWorld({ rules: [rule({ severity: "warning" })] });
    world.sees("exchanges", [exchange("A", "disabled")]).passes("1s");
    world.sees("exchanges", [exchange("A", "enabled")]).passes("1s");
    const rulesBefore = ruleHashes(world.policy.rules);
    world.policy = policyOf([rule({ severity: "critical", hash: "another" })]);
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    const severity = async (): Promise<readonly unknown[]> =>
      (await ask(world, "")).counts.map((one) => [one.severity, one.firing, one.resolved]);
    expect(await severity()).toEqual([["warning", 0, 1]]);
    world.sees("exchanges", [exchange("A", "enabled"), exchange("B", "disabled")]).passes("1s");
    expect(await severity()).toEqual([["critical", 1, 1]]);
  });

  it("gives every alert once, page by page", async () => {
    const world = manyBad();
    const whole = names(await ask(world, ""));
    const paged: string[] = [];
    let cursor = "";
    do {
      const page = await ask(world, `limit=3${cursor}`);
      expect(page.total).toBe(10);
      paged.push(...names(page));
      cursor = page.next === null ? "" : `&cursor=${page.next}`;
    } while (cursor !== "");
    expect(paged).toEqual(whole);
    expect(new Set(paged).size).toBe(10);
  });

  it("says what an order is called, of which that is the name", async () => {
    const world = eventfulWorld();
    const app = createApp(sourceOf(world));
    const aliasIn = async (): Promise<string | null | undefined> => {
      const reply = await app.request("/api/v1/alerts?kind=exchange");
      return ((await reply.json()) as AlertsJson).alerts[0]?.alias;
    };
    expect(await aliasIn()).toBeNull();
    const known = world.state.tables.entity.get("bsc/exchange/A");
    if (known !== undefined) known.facts = { ...known.facts, name: "loan-0" };
    expect(await aliasIn()).toBe("loan-0");
    // A spot or futures order has its market in its id, and one without an alias is called by its own id.
    if (known !== undefined) known.facts = { ...known.facts, name: "123", order_id: "123" };
    expect(await aliasIn()).toBeNull();
  });

  it("takes an address for no alias of itself, however it is written", async () => {
    const world = scriptedWorld({ rules: [rule()] });
    const called = { "0xab": "0xAB", "0xcd": "0xAB", "spot/0xef": "0xEF" };
    const seen = Object.entries(called).map(([id, name]) => {
      const facts = { name, order_id: id.replace("spot/", ""), status: "disabled" };
      return { kind: "exchange", id, facts };
    });
    world.sees("exchanges", seen);
    const { alerts } = await ask(world, "sort=entity");
    expect(alerts.map(({ alias }) => alias)).toEqual([null, "0xAB", null]);
  });

  it("says for how long it has been so now, and as of when it was last seen", async () => {
    const description = {
      source: "{{ age(exchange.since) }}",
      reads: ["since"],
      render: ({ facts, now }: Scope) => `for ${now - Number(facts["since"])} ms`,
    };
    const world = scriptedWorld({
      rules: [rule({ annotations: { description, summary: description } })],
    });
    world.sees("exchanges", [exchange("A", "disabled")]).passes("10s");
    const texts = async (): Promise<unknown[]> => {
      const app = createApp(sourceOf(world));
      const [whole, overview] = await Promise.all(
        ["status", "overview"].map(async (name) => (await app.request(`/api/v1/${name}`)).json()),
      );
      const alerts = [...(await ask(world, "")).alerts, ...(whole as StatusJson).alerts];
      const [group] = (overview as OverviewJson).alert_groups;
      return [...alerts.map((one) => one.annotations["description"]), group?.summary];
    };
    expect(await texts()).toEqual(Array(3).fill("for 10000 ms"));
    world.polls("exchanges", { all: "failed" }).passes("5m");
    expect(await texts()).toEqual(Array(3).fill("for 10000 ms"));
    world.restarts();
    expect(await texts()).toEqual(Array(3).fill("for 10000 ms"));
  });

  it("shows no alert as muted by its own rule, which is notified", async () => {
    const world = scriptedWorld({
      rules: [
        rule({ inhibitedBy: ["ExchangeDisabled", "Other"] }),
        rule({ alert: "Other", inhibitedBy: ["Other"] }),
      ],
    });
    world.sees("exchanges", [
      { kind: "exchange", id: "A", facts: { name: "A", status: "disabled" } },
    ]);
    const { alerts } = await ask(world, "sort=alertname");
    expect(alerts.map((one) => one.inhibited_by)).toEqual([["Other"], []]);
  });
});
