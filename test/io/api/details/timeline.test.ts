/** Tests src/io/api/details/timeline.ts, src/io/journal/past-questions.ts, on a real journal. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Scope } from "../../../../src/domain/hold.ts";
import type { Finding } from "../../../../src/domain/step.ts";
import type { TimelineJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { openJournal, type Journal } from "../../../../src/io/journal/journal.ts";
import { createRecorder } from "../../../../src/record/recorder.ts";
import { toEnd } from "../../../../src/domain/slices.ts";
import { exchange, pair, repair, rule } from "../../../core/fixtures.ts";
import { channel } from "../../../core/tell/channels.ts";
import { scriptedWorld } from "../../../core/world.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

const AT = Date.UTC(2026, 0, 1);

let directory: ReturnType<typeof temporaryDirectory>;
let journal: Journal;

beforeEach(() => {
  directory = temporaryDirectory();
  const opened = openJournal(directory.path);
  if (!opened.ok) throw new Error(opened.problem);
  journal = opened.value;
});

afterEach(() => {
  journal.close();
  directory.remove();
});

function found(at: number, ...findings: readonly Finding[]): void {
  const written = journal.commit({
    at,
    changes: [],
    findings: findings.map((finding) => ({ at, finding })),
  });
  if (!written.ok) throw new Error(written.problem);
}

function startedAt(at: number): void {
  const recorder = createRecorder(() => []);
  toEnd(recorder.note({ type: "started" }, at, { changes: [], effects: [], findings: [] }));
  journal.commit({ at, changes: [], findings: [], pages: recorder.due(at, "all") });
}

const kill = (detail: string): Finding => ({ type: "kill", source: "operator", on: true, detail });

async function ask(query: string): Promise<TimelineJson> {
  const app = createApp(sourceOf(eventfulWorld(), { past: journal, now: () => AT + 10_000 }));
  const reply = await app.request(`/api/v1/timeline?${query}`);
  expect(reply.status, query).toBe(200);
  return (await reply.json()) as TimelineJson;
}

const details = ({ rows }: TimelineJson) => rows.map(({ detail }) => detail);

describe("GET /api/v1/timeline", () => {
  it("gives what happened, the newest first, page by page, also within one instant", async () => {
    for (let index = 0; index < 10; index += 1)
      found(AT + Math.floor(index / 4), kill(String(index)));
    const whole = details(await ask(""));
    expect(whole).toEqual(["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    const paged: string[] = [];
    let cursor = "";
    do {
      const page = await ask(`limit=3${cursor}`);
      paged.push(...details(page));
      cursor = page.next === null ? "" : `&cursor=${page.next}`;
    } while (cursor !== "");
    expect(paged).toEqual(whole);
  });

  it("has alerts with their rule, entity, severity and start, and what is seen only if asked for", async () => {
    const world = eventfulWorld();
    const [alert] = world.state.tables.alert.values();
    if (alert === undefined) throw new Error("there is no alert");
    const { entity } = alert;
    found(
      AT,
      { type: "alert", change: "firing", alert, detail: "" },
      { type: "entity", change: "gone", entity, detail: "" },
    );
    const { rows, kept_since } = await ask("");
    expect(rows).toMatchObject([
      {
        type: "alert",
        what: "firing",
        alertname: alert.rule,
        severity: "critical",
        started_at: new Date(alert.startedAt).toISOString(),
        entity: "bsc/exchange/A",
      },
    ]);
    expect(kept_since).toBe(new Date(AT).toISOString());
    expect((await ask("types=entity,kill")).rows).toMatchObject([{ type: "entity", what: "gone" }]);
    expect((await ask(`alertname=${alert.rule}&entity=bsc/exchange/A`)).rows.length).toBe(1);
    for (const filter of ["aggregator=bsc", "kind=exchange", "entity=exchange/A"])
      expect((await ask(filter)).rows.length, filter).toBe(1);
    for (const filter of ["alertname=Later", "text=other", "kind=pair", "entity=exchange/B"])
      expect((await ask(filter)).rows, filter).toEqual([]);
    expect((await ask("text=FIRING critical")).rows.length).toBe(1);
  });

  it("knows the aggregator of what is about no entity", async () => {
    const storm = { type: "storm", rule: "R", change: "began", detail: "" } as const;
    found(AT, ...["bsc", "eth"].map((aggregator) => ({ ...storm, aggregator })));
    const { rows } = await ask("aggregator=eth");
    expect(rows.map(({ subject }) => subject)).toEqual(["R on eth"]);
  });

  it("has the holds that cover the entity that is asked for, as they say why it was left alone", async () => {
    const hold = (id: string, scope: Scope): Finding => ({
      type: "hold",
      change: "began",
      hold: { id, owner: "alice", reason: "maintenance", scope, from: AT, until: AT + 1_000 },
      detail: "maintenance",
    });
    found(
      AT,
      hold("all", {}),
      hold("own", { kind: "exchange", id: "A", rule: "R" }),
      hold("parent", { kind: "exchange", id: "A" }),
      hold("pairs", { kind: "pair" }),
      hold("eth", { aggregator: "eth" }),
      kill("switched"),
    );
    const idsOf = async (query: string) =>
      (await ask(query)).rows.map(({ subject }) => subject.split(" ")[0]).toReversed();
    expect(await idsOf("entity=exchange/A")).toEqual(["all", "own", "parent"]);
    expect(await idsOf("entity=bsc/exchange/A&aggregator=bsc&kind=exchange")).toEqual([
      "all",
      "own",
      "parent",
    ]);
    expect(await idsOf("entity=pair/A/ORN-USDT")).toEqual(["all", "own", "parent", "pairs"]);
    expect(await idsOf("entity=exchange/B")).toEqual([]);
    expect(await idsOf("entity=exchange/A&alertname=Later")).toEqual([]);
  });

  it("has no hold that stops nothing on the entity that is asked for", async () => {
    const world = eventfulWorld();
    const [watched] = world.policy.aggregators;
    if (watched === undefined) throw new Error("no aggregator is watched");
    const elsewhere = rule({ alert: "Elsewhere", aggregators: ["eth"] });
    world.policy = {
      ...world.policy,
      aggregators: [watched, { ...watched, name: "eth" }],
      rules: new Map([...world.policy.rules, ["Elsewhere", elsewhere]]),
    };
    world.onStep = (_event, { findings }) => found(world.now, ...findings);
    const app = createApp(sourceOf(world, { past: journal, now: () => world.now }));
    for (const scope of [
      { rule: "ExchangeDisabled" },
      { rule: "PairDisabled" },
      { rule: "PairDisabled", kind: "exchange", id: "A" },
      { rule: "Elsewhere" },
      { aggregator: "bsc" },
    ])
      world.commands({ name: "hold", scope, until: world.now + 3_600_000 });
    const heldBy = async (query: string): Promise<readonly unknown[]> => {
      const reply = await app.request(`/api/v1/timeline?types=hold&${query}`);
      const { rows } = (await reply.json()) as TimelineJson;
      return rows.map(({ subject }) => subject.split(" ")[0]).toReversed();
    };
    expect(await heldBy("entity=exchange/A")).toEqual(["h1", "h3", "h5"]);
    expect(await heldBy("entity=pair/A/ORN-USDT")).toEqual(["h2", "h3", "h5"]);
    // An entity of the same name on another aggregator.
    expect(await heldBy("entity=exchange/A&aggregator=eth")).toEqual([]);
  });

  it("has what people decided on the proposals of the entity that is asked for", async () => {
    const world = eventfulWorld();
    world.onStep = (_event, { findings }) => found(world.now, ...findings);
    const app = createApp(sourceOf(world, { past: journal, now: () => world.now }));
    const [proposal] = world.state.tables.proposal.values();
    if (proposal === undefined) throw new Error("nothing is proposed");
    const { id, digest } = proposal;
    world.commands({ name: "approve", proposal: id, digest: undefined });
    world.commands({ name: "approve", proposal: id, digest });
    world.commands({ name: "deny", proposal: id });
    world.commands({ name: "deny", proposal: "p999" });
    const decided = async (query: string): Promise<readonly unknown[]> => {
      const reply = await app.request(`/api/v1/timeline?types=command&${query}`);
      return ((await reply.json()) as TimelineJson).rows.map(({ what }) => what).toReversed();
    };
    const all = ["approve refused", "approve accepted", "deny accepted"];
    for (const query of [
      "entity=pair/A/ORN-USDT",
      "aggregator=bsc&kind=pair",
      "alertname=PairDisabled",
    ])
      expect(await decided(query), query).toEqual(all);
    expect(await decided("alertname=ExchangeDisabled")).toEqual([]);
    expect(await decided("entity=exchange/A")).toEqual([]);
    expect(await decided("")).toEqual([...all, "deny refused"]);
  });

  it("has what was proposed, and not notified, by its rule and its entity", async () => {
    const world = scriptedWorld({
      rules: [rule({ act: repair({ mode: "propose" }) })],
      channels: [channel("hook")],
    });
    world.onStep = (_event, { findings }) => found(world.now, ...findings);
    const app = createApp(sourceOf(world, { past: journal, now: () => world.now }));
    world.commands({ name: "silence", scope: {}, until: world.now + 3_600_000 });
    world
      .at("10s")
      .sees("exchanges", [exchange("A", "disabled")])
      .passes("30s");
    const typesOf = async (query: string): Promise<ReadonlySet<string>> => {
      const reply = await app.request(`/api/v1/timeline?types=muted,proposed&${query}`);
      return new Set(((await reply.json()) as TimelineJson).rows.map(({ type }) => type));
    };
    const both = new Set(["muted", "proposed"]);
    for (const query of ["", "alertname=ExchangeDisabled", "entity=exchange/A", "aggregator=bsc"])
      expect(await typesOf(query), query).toEqual(both);
    expect(await typesOf("entity=exchange/B")).toEqual(new Set());
  });

  it("has the holds that cover a pair, and its exchange, also once it is not listed any more", async () => {
    const world = scriptedWorld({ rules: [rule({ alert: "PairDisabled", kind: "pair" })] });
    world.onStep = (_event, { findings }) => found(world.now, ...findings);
    const app = createApp(sourceOf(world, { past: journal, now: () => world.now }));
    const heldBy = async (entity: string): Promise<readonly unknown[]> => {
      const reply = await app.request(`/api/v1/timeline?types=hold&entity=${entity}`);
      return ((await reply.json()) as TimelineJson).rows.map(({ subject }) => subject);
    };
    world.at("10s").sees("exchanges", [exchange("A", "enabled"), pair("A", "ORN-USDT")]);
    for (const id of ["A", "A/ORN-USDT", "A/BTC-USDT"])
      world.commands({ name: "hold", scope: { id }, until: world.now + 3_600_000 });
    const held = ["h2 (A/ORN-USDT)", "h1 (A)"];
    for (const isListed of [true, false]) {
      const listed = isListed ? [pair("A", "ORN-USDT")] : [];
      world.passes("10s").sees("exchanges", [exchange("A", "enabled"), ...listed]);
      for (const entity of ["pair/A/ORN-USDT", "bsc/pair/A/ORN-USDT"])
        expect(await heldBy(entity), String(isListed)).toEqual(held);
    }
    expect(await heldBy("pair/A/BTC-USDT")).toEqual([]);
  });

  it("gives all of what is named by the words, with the restarts, for the lifetimes in it", async () => {
    startedAt(AT + 5);
    const [alert] = eventfulWorld().state.tables.alert.values();
    if (alert === undefined) throw new Error("there is no alert");
    for (const change of ["firing", "resolved"] as const)
      found(AT + 6, { type: "alert", change, alert, detail: "" });
    const whats = ({ rows }: TimelineJson) => rows.map(({ what }) => what);
    expect(whats(await ask("text=firing"))).toEqual(["firing"]);
    expect(whats(await ask("named=firing"))).toEqual(["started"]);
    expect(whats(await ask("named=BSC exchange"))).toEqual(["resolved", "firing", "started"]);
  });

  it("keeps within its span, and says when the process started", async () => {
    startedAt(AT + 5);
    found(AT + 1, kill("before"));
    found(AT + 9, kill("after"));
    const whole = await ask("");
    expect(whole.rows.map(({ type }) => type)).toEqual(["kill", "restart", "kill"]);
    const iso = (at: number) => new Date(at).toISOString();
    const part = await ask(`from=${iso(AT + 2)}&until=${iso(AT + 8)}`);
    expect(part.rows).toMatchObject([{ type: "restart", what: "started" }]);
    expect((await ask("types=kill")).rows.length).toBe(2);
  });

  it("gives a start once, though a page ends at its instant", async () => {
    startedAt(AT + 5);
    found(AT + 5, kill("first"), kill("second"));
    found(AT + 6, kill("third"));
    const paged: string[] = [];
    let cursor = "";
    do {
      const page = await ask(`limit=1${cursor}`);
      paged.push(...page.rows.map(({ type, detail }) => detail || type));
      cursor = page.next === null ? "" : `&cursor=${page.next}`;
    } while (cursor !== "");
    expect(paged).toEqual(["third", "second", "first", "restart"]);
  });

  it("finds what is rare among much that is not asked for", async () => {
    found(AT, kill("the only one"));
    const unseen: Finding = {
      type: "took",
      entity: { aggregator: "bsc", kind: "swap", id: "0x1" },
      tookMs: 1,
    };
    for (let part = 0; part < 5; part += 1)
      found(AT + 1 + part, ...Array.from({ length: 700 }, () => unseen));
    const { rows, next } = await ask("");
    expect(rows).toMatchObject([{ detail: "the only one" }]);
    expect(next).toBeNull();
  });

  it.each(["from=yesterday", "types=gossip", "cursor=x", "limit=0"])(
    "refuses %s",
    async (query) => {
      const app = createApp(sourceOf(eventfulWorld(), { past: journal }));
      expect((await app.request(`/api/v1/timeline?${query}`)).status).toBe(400);
    },
  );
});
