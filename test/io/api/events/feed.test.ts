/** Tests src/io/api/events/feed.ts, gathered.ts, messages.ts, last-sent.ts, kept-messages.ts. */
import { describe, expect, it } from "vitest";
import { entityKey } from "../../../../src/domain/entity.ts";
import { toEnd } from "../../../../src/domain/slices.ts";
import type { Change } from "../../../../src/domain/step.ts";
import { MOST_KEPT_BYTES } from "../../../../src/io/api/events/kept-messages.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { exchange, repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../../core/world.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";
import { feedOf, viewer, type FeedWorld, type Sent } from "./feed-world.ts";

const POOL = "bsc/pool/F/P";

/** The pool has other reserves now. */
function changePool(world: World, { note }: FeedWorld, base: number): void {
  const pool = world.state.tables.entity.get(POOL);
  if (pool === undefined) throw new Error("there is no pool");
  pool.facts = { ...pool.facts, base };
  note([{ table: "entity", key: POOL, value: pool }]);
}

async function begun(): Promise<{ world: World; own: FeedWorld; one: ReturnType<typeof viewer> }> {
  const world = eventfulWorld();
  const own = feedOf(world);
  const one = viewer();
  await own.feed.join(one, undefined);
  return { world, own, one };
}

function dataOf(sent: Sent | undefined): { at: string; changes: unknown[] } {
  if (sent === undefined) throw new Error("nothing was sent");
  return sent.data as { at: string; changes: unknown[] };
}

describe("the feed", () => {
  it("tells a new viewer to read everything, and then sends only what differs", async () => {
    const { world, own, one } = await begun();
    changePool(world, own, 1.5);
    await own.second();
    changePool(world, own, 1.25);
    await own.second();
    const { at } = dataOf(one.sent[1]);
    expect(one.sent.map(({ event, data }) => [event, data])).toEqual([
      [
        "reset",
        { topics: ["entities", "alerts", "remediations", "overview", "polls", "findings"] },
      ],
      ["entities", { at, changes: [{ key: POOL, facts: { base: 1.25 } }] }],
    ]);
  });

  it("sends what is new as a whole, and what is gone by its key", async () => {
    const { world, own, one } = await begun();
    const key = "bsc/pool/F/Q";
    const pool = world.state.tables.entity.get(POOL);
    if (pool === undefined) throw new Error("there is no pool");
    const other = { ...pool, id: "F/Q", facts: { name: "F/Q" } };
    world.state.tables.entity.set(key, other).delete(POOL);
    own.note([
      { table: "entity", key, value: other },
      { table: "entity", key: POOL, value: undefined },
    ]);
    await own.second();
    const { changes } = dataOf(one.sent[1]);
    expect(changes).toMatchObject([
      { key, row: { kind: "pool", id: "F/Q", condition: "ok", facts: { name: "F/Q" } } },
      { key: POOL, gone: true },
    ]);
  });

  it("sends the whole of what went and came back within one second: it is another", async () => {
    const { world, own, one } = await begun();
    world.onStep = (_event, { changes }) => own.note(changes);
    const before = world.state.tables.entity.get(POOL);
    if (before === undefined) throw new Error("there is no pool");
    world.at("1m").sees("pools", []);
    world.sees("pools", [{ ...before, facts: before.facts }]);
    const { firstSeen } = world.state.tables.entity.get(POOL) ?? {};
    expect(firstSeen).toBe(world.now);
    await own.second();
    const sent = one.sent.find(({ event }) => event === "entities");
    const change = dataOf(sent).changes.find((each) => (each as { key: string }).key === POOL);
    expect(change).toMatchObject({
      row: { id: "F/P", first_seen: new Date(world.now).toISOString() },
    });
  });

  it("says what becomes unknown if the core starts again while viewers look", async () => {
    const { world, own, one } = await begun();
    world.onStep = (_event, { changes }) => own.note(changes);
    world.restarts("10s");
    await own.second();
    const sent = one.sent.find(({ event }) => event === "entities");
    expect(dataOf(sent).changes).toContainEqual(
      expect.objectContaining({ key: POOL, condition: "unknown" }),
    );
  });

  it("says of an alert what is other, and what that makes of its entity and of what it inhibits", async () => {
    const { world, own, one } = await begun();
    const alert = world.state.tables.alert.get("ExchangeDisabled|bsc/exchange/A");
    const later = world.policy.rules.get("Later");
    if (alert === undefined || later === undefined) throw new Error("it does not fire");
    (world.policy.rules as Map<string, typeof later>).set("Later", {
      ...later,
      inhibitedBy: ["ExchangeDisabled"],
    });
    alert.severity = "info";
    own.note([{ table: "alert", key: alert.key, value: alert }]);
    await own.second();
    const sent = Object.fromEntries(one.sent.slice(1).map(({ event, data }) => [event, data]));
    expect(sent).toMatchObject({
      alerts: {
        changes: [
          { key: alert.key, severity: "info" },
          { key: `Later|${entityKey(alert.entity)}`, inhibited_by: ["ExchangeDisabled"] },
        ],
      },
      entities: { changes: [{ key: entityKey(alert.entity), severity: "info" }] },
    });
  });

  it("says of an alert that its remediation is settled, though that leaves the alert as it was", async () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })] });
    const own = feedOf(world);
    const one = viewer(["alerts"]);
    world.onStep = (_event, { changes, findings }) => own.note(changes, findings);
    await own.feed.join(one, undefined);
    const open: unknown[] = [];
    const sees = async (status: "enabled" | "disabled", origin: "poll" | "probe") => {
      world.passes("1s").sees("exchanges", [exchange("A", status)], { origin });
      await own.second();
      const changes = one.sent
        .splice(0)
        .flatMap((sent) => (sent.event === "alerts" ? dataOf(sent).changes : [])) as Array<{
        open_remediation?: unknown;
        row?: { open_remediation: unknown };
      }>;
      for (const { row, open_remediation: is = row?.open_remediation } of changes)
        if (is !== undefined) open.push(is);
    };
    world.at("1h");
    await sees("disabled", "poll");
    await sees("disabled", "probe");
    world.replies("r1", "acknowledged");
    await sees("enabled", "poll");
    await sees("enabled", "probe");
    expect(world.remediation("r1")?.state).toBe("verified");
    expect(open).toEqual([null, "r1", null]);
  });

  it("says of alerts that a silence which begins or ends covers them", async () => {
    const { world, own, one } = await begun();
    const changes = () => {
      const sent = one.sent.findLast(({ event }) => event === "alerts");
      return (sent?.data as { changes: unknown[] } | undefined)?.changes;
    };
    const until = world.now + 3_600_000;
    world.commands({ name: "silence", scope: { rule: "PairDisabled" }, until });
    own.note([{ table: "silence", key: "s1", value: {} }]);
    await own.second();
    expect(changes()).toEqual([
      {
        key: "PairDisabled|bsc/pair/A/ORN-USDT",
        silenced_by: ["s1"],
        silenced_until: new Date(until).toISOString(),
      },
    ]);
    world.commands({ name: "unsilence", silence: "s1" });
    own.note([{ table: "silence", key: "s1", value: undefined }]);
    await own.second();
    expect(changes()).toMatchObject([{ silenced_by: [], silenced_until: null }]);
  });

  it("sends polls, findings, and which lists of the overview are others", async () => {
    const { own, one } = await begun();
    const about = { aggregator: "bsc", poller: "pools", durationMs: 7.4, detail: "" } as const;
    own.note(
      [{ table: "hold", key: "h1", value: {} }],
      [
        { type: "polled", ...about, origin: "poll", outcome: "complete" },
        { type: "polled", ...about, origin: "probe", outcome: "failed" },
        { type: "polled", ...about, id: "pools/2", origin: "poll", outcome: "failed" },
        { type: "kill", source: "operator", on: true, detail: "a test" },
      ],
    );
    await own.second();
    const sent = Object.fromEntries(one.sent.slice(1).map(({ event, data }) => [event, data]));
    expect(sent).toMatchObject({
      overview: { changed: ["hold"] },
      polls: {
        polls: [
          { poller: "pools", outcome: "complete", duration_ms: 7 },
          { poller: "pools/2", outcome: "failed" },
        ],
      },
      findings: { left_out: 0, findings: [{ type: "kill", what: "on" }] },
    });
  });

  it("sends the polls of a second in which more is found than is sent", async () => {
    const { own, one } = await begun();
    const about = { aggregator: "bsc", poller: "pools", durationMs: 7, detail: "" } as const;
    const polled = { type: "polled", ...about, origin: "poll", outcome: "failed" } as const;
    const kill = { type: "kill", source: "operator", on: true, detail: "a test" } as const;
    own.note([], [polled, ...Array.from({ length: 201 }, () => kill), polled]);
    await own.second();
    const sent = Object.fromEntries(one.sent.slice(1).map(({ event, data }) => [event, data]));
    expect(sent).toMatchObject({
      polls: { polls: [{ outcome: "failed" }, { outcome: "failed" }] },
      findings: { left_out: 1, findings: { length: 200 } },
    });
  });

  it("gives findings as their list does, with the alias of what they are about", async () => {
    const { world, own, one } = await begun();
    const entity = world.state.tables.entity.get("bsc/exchange/A");
    if (entity === undefined) throw new Error("there is no exchange");
    entity.facts = { ...entity.facts, alias: "the big one" };
    const finding = { type: "entity", change: "appeared", entity, detail: "" } as const;
    own.note([], [finding]);
    await own.second();
    const sent = one.sent.find(({ event }) => event === "findings");
    const app = createApp(sourceOf(world, { findings: () => [{ at: world.now, finding }] }));
    const listed: unknown = await (await app.request("/api/v1/findings")).json();
    expect(sent?.data).toMatchObject({ findings: listed });
    expect(listed).toMatchObject([{ subject: "bsc/exchange/A", alias: "the big one" }]);
  });

  it("sends a viewer the topics that it asked for", async () => {
    const { world, own } = await begun();
    const polls = viewer(["polls"]);
    await own.feed.join(polls, undefined);
    changePool(world, own, 2);
    await own.second();
    expect(polls.sent.map(({ event }) => event)).toEqual(["reset"]);
  });

  it("has findings read again if others made them, by those who look at findings", async () => {
    const { own, one } = await begun();
    const alerts = viewer(["alerts"]);
    await own.feed.join(alerts, undefined);
    toEnd(own.feed.note({ changes: [], findings: "unknown" }, 0));
    await own.second();
    expect(one.sent.slice(1)).toMatchObject([{ event: "reset", data: { topics: ["findings"] } }]);
    expect(alerts.sent).toHaveLength(1);
  });

  it("cuts its viewers at its end, and whoever comes then", async () => {
    const { own, one } = await begun();
    own.feed.close();
    const late = viewer();
    await own.feed.join(late, undefined);
    expect([one, late].map(({ sent }) => sent.at(-1)?.event)).toEqual(["cut", "cut"]);
    expect(own.isRunning()).toBe(false);
  });

  it("says that it is there if nothing happens", async () => {
    const { own, one } = await begun();
    for (let second = 0; second < 10; second += 1) await own.second();
    expect(one.sent.map(({ event }) => event)).toEqual(["reset", "beat", "beat"]);
  });
});

describe("a viewer whose connection broke", () => {
  it("goes on after the last message that it had: none is missed, none comes twice", async () => {
    const { world, own, one } = await begun();
    changePool(world, own, 2);
    await own.second();
    const last = one.sent.at(-1)?.id;
    own.feed.leave(one);
    changePool(world, own, 3);
    await own.second();
    changePool(world, own, 4);
    await own.second();
    const again = viewer();
    await own.feed.join(again, last);
    changePool(world, own, 5);
    await own.second();
    const bases = again.sent.map(({ data }) => data as { changes: [{ facts: { base: number } }] });
    expect(bases.map(({ changes: [{ facts }] }) => facts.base)).toEqual([3, 4, 5]);
    const none = viewer();
    await own.feed.join(none, again.sent.at(-1)?.id);
    expect(none.sent).toEqual([]);
  });

  it.each(["", "other.3", "x", "%.-1"])("reads all again if its id is %j", async (id) => {
    const { own, one } = await begun();
    const [run] = (one.sent[0]?.id ?? "").split(".");
    for (const asked of [id, `${run}.99`, `${run}.x`]) {
      const again = viewer();
      await own.feed.join(again, asked);
      expect(again.sent.map(({ event }) => event)).toEqual(["reset"]);
    }
  });

  it("reads all again if it missed more than is kept", async () => {
    const { world, own, one } = await begun();
    const first = one.sent[0]?.id;
    const name = "x".repeat(150_000);
    const pool = world.state.tables.entity.get(POOL);
    if (pool === undefined) throw new Error("there is no pool");
    for (let turn = 0; (turn - 1) * name.length <= MOST_KEPT_BYTES; turn += 1) {
      pool.facts = { ...pool.facts, name: `${turn}${name}` };
      own.note([{ table: "entity", key: POOL, value: pool }]);
      await own.second();
    }
    const again = viewer();
    await own.feed.join(again, first);
    expect(again.sent.map(({ event }) => event)).toEqual(["reset"]);
  });

  it("finds the feed as it was for a minute, and nothing is gathered later", async () => {
    const { own, one } = await begun();
    own.feed.leave(one);
    for (let second = 0; second < 60; second += 1) await own.second();
    expect(own.isRunning()).toBe(true);
    await own.second();
    expect(own.isRunning()).toBe(false);
    const again = viewer();
    await own.feed.join(again, one.sent[0]?.id);
    expect(again.sent.map(({ event }) => event)).toEqual(["reset"]);
  });
});

it("tells to read a list again if too much changes at once, and knows it afterwards", async () => {
  const { world, own, one } = await begun();
  const pool = world.state.tables.entity.get(POOL);
  if (pool === undefined) throw new Error("there is no pool");
  const many = Array.from({ length: 2_000 }, (_, index): Change => {
    const key = `bsc/pool/${index}`;
    const value = { ...pool, id: String(index) };
    world.state.tables.entity.set(key, value);
    return { table: "entity", key, value };
  });
  own.note(many);
  for (let turn = 0; one.sent.length < 2 && turn < 1_000; turn += 1) await own.second();
  expect(one.sent[1]).toMatchObject({ event: "reset", data: { topics: ["entities"] } });
  own.note(many);
  await own.second();
  await own.second();
  expect(one.sent.slice(2).filter(({ event }) => event !== "beat")).toEqual([]);
});
