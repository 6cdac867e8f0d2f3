import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SUPPRESSION_REASONS } from "../../../src/core/act/guards/index.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { operatorCalls } from "../../../src/io/api/operator-calls.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { createTokenGate } from "../../../src/io/api/tokens.ts";
import { createLoopSource } from "../../../src/run/loop-source.ts";
import { factIs, order, policyOf, repair, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { loopTest, reading, START, type LoopTest } from "../../run/loop-world.ts";
import { sourceOf } from "./server-fixture.ts";
import { scriptedWorld } from "../../core/world.ts";

const TOKENS = [
  ["alice", ["read", "operate", "approve"]],
  ["bob", ["approve"]],
  ["carol", ["operate"]],
  ["agent", ["read", "hold"]],
] as const;

const policy = policyOf([
  rule({ act: repair() }),
  rule({
    alert: "Stuck",
    kind: "liquidation",
    when: factIs("final", false),
    act: repair({ action: "force_cancel_order", mode: "propose", approvals: 2 }),
  }),
]);

/** The servers over a real loop, whose journal is in memory. */
function operated(change: { readonly tokens?: false } = {}) {
  const test = loopTest(policy);
  test.loop.push({ type: "started" });
  const clock = { now: () => test.now };
  const tokens = TOKENS.map(([name, scopes]) => ({
    name,
    scopes,
    sha256: createHash("sha256").update(`${name}-token`).digest("hex"),
  }));
  const app = createApp(
    sourceOf(scriptedWorld({ rules: [] }), {
      gate: createTokenGate({
        tokens: () => (change.tokens === false ? undefined : tokens),
        clock,
        onRefused: () => {},
      }),
      ...createLoopSource({
        loop: test.loop,
        clock,
        journal: {
          findings: () => test.findings.toReversed(),
          historyOf: (_alert, until) => historyOf(test, until).filter(isOfAlert),
          orders: (from, until) =>
            historyOf(test, until).filter((one) => one.at >= from && !isOfAlert(one)),
          between: () => ({ found: [], next: undefined }),
          alertsAfter: () => ({ found: [], next: undefined }),
          restarts: () => [],
          recordUnits: () => [],
          recordSpan: () => undefined,
          chapterAt: () => 0,
          pagesFrom: () => [],
          reachesBackTo: () => test.findings[0]?.at,
        },
        lists: { sync: () => {}, reading: () => [] },
      }),
    }),
  );
  const call = async (method: string, path: string, body: unknown, who = "alice") => {
    const reply = await app.request(path, {
      method,
      headers: { authorization: `Bearer ${who}-token`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  const get = async (path: string) => {
    const reply = await app.request(path);
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  return { test, app, call, get };
}

function historyOf(test: LoopTest, until: number) {
  return test.findings.filter(({ at }) => at <= until).toReversed();
}

/** There is one alert in each of these tests. */
function isOfAlert({ finding: { type } }: LoopTest["findings"][number]): boolean {
  return ["alert", "suppressed", "unconfirmed", "remediation"].includes(type);
}

const HOLD = { scope: { kind: "exchange", id: "BINANCE" }, for: "2h", reason: "maintenance" };

/** `p1` waits for two persons to approve the cancelling of `o1`. */
function proposed() {
  const it = operated();
  const part = partOf("o1", it.test.now, [order("o1", "STUCK", { amount: 10 })]);
  it.test.loop.push(observed("liquidations", [part]));
  return it;
}

it("is in the overview at once, though that is made once a second", async () => {
  const { app, call } = operated();
  const killed = async (): Promise<unknown> =>
    ((await (await app.request("/api/v1/overview")).json()) as { killed: unknown }).killed;
  expect(await killed()).toEqual([]);
  await call("POST", "/api/v1/kill", { reason: "a look" });
  expect(await killed()).toMatchObject([{ source: "operator", by: "alice" }]);
});

describe("a body that is not sent as JSON", () => {
  it.each(["application/x-www-form-urlencoded", "text/plain", undefined])(
    "is refused with the header that it lacks: %s",
    async (type) => {
      const { app } = operated();
      const headers = { authorization: "Bearer alice-token" };
      const request = new Request("http://127.0.0.1/api/v1/holds", {
        method: "POST",
        headers: type === undefined ? headers : { ...headers, "content-type": type },
        body: new TextEncoder().encode(JSON.stringify(HOLD)),
      });
      const reply = await app.request(request);
      expect(reply.status).toBe(415);
      const error = "the body must be JSON, with the header content-type: application/json";
      expect(await reply.json()).toEqual({ error });
    },
  );
});

describe("holds and silences", () => {
  it("a hold stops the action, is journaled with who, when and why, and can be released", async () => {
    const { test, call, get } = operated();
    expect(await call("POST", "/api/v1/holds", HOLD)).toEqual({
      status: 200,
      body: {
        accepted: true,
        subject: "h1",
        detail:
          "h1: exchange BINANCE until 2026-01-01T02:00:00.000Z; it COVERS NOTHING NOW: nothing that is watched fits, so check how it is spelt",
        durable: true,
      },
    });
    expect(test.findings.map(({ finding }) => finding)).toContainEqual(
      expect.objectContaining({
        type: "command",
        by: "alice",
        reason: "maintenance",
        name: "hold",
        subject: "h1",
        accepted: true,
      }),
    );
    test.loop.push(reading("disabled", test.now));
    expect(test.effects).toEqual([]);
    expect((await get("/api/v1/status")).body).toMatchObject({
      holds: [{ id: "h1", owner: "alice", reason: "maintenance", scope: HOLD.scope }],
      alerts: [{ suppressed: { reason: "held" } }],
    });
    const released = await call("DELETE", "/api/v1/holds/h1", { reason: "done" }, "carol");
    expect(released).toMatchObject({ status: 200, body: { subject: "h1" } });
    expect(test.effects).toMatchObject([{ type: "probe", why: "confirm" }]);
    expect(await call("DELETE", "/api/v1/holds/h1", { reason: "again" })).toEqual({
      status: 409,
      body: { accepted: false, error: "no hold h1 stands" },
    });
  });

  it("a silence lasts until its instant, or until it is ended", async () => {
    const { call, get } = operated();
    const until = new Date(START + HOUR).toISOString();
    const body = { scope: {}, until, reason: "we know" };
    expect(await call("POST", "/api/v1/silences", body)).toMatchObject({
      status: 200,
      body: { subject: "s1" },
    });
    expect((await get("/api/v1/status")).body).toMatchObject({ silences: [{ id: "s1", until }] });
    expect(await call("DELETE", "/api/v1/silences/s1", { reason: "heard" })).toMatchObject({
      status: 200,
    });
    expect((await get("/api/v1/status")).body).toMatchObject({ silences: [] });
  });

  it.each([
    ["no end", { ...HOLD, for: undefined }, ["for: must have one of `for` and `until`"]],
    ["two ends", { ...HOLD, until: "2026-01-01T01:00:00Z" }, ["for: must have one of"]],
    ["an end too far away", { ...HOLD, for: "31d" }, ["for: must be a duration"]],
    [
      "an instant too far away",
      { ...HOLD, for: undefined, until: "2026-03-01T00:00:00Z" },
      ["until: must be at most 30d from now"],
    ],
    [
      "many mistakes, all at once",
      { scope: { kinds: "exchange" }, for: "soon", reason: " " },
      ["scope.kinds: unknown key", "for: must be a duration", "reason: must say why, in one line"],
    ],
    ["no scope", { for: "1h", reason: "x" }, ["scope: "]],
    ["no reason", { scope: {}, for: "1h" }, ["reason: must say why, in one line"]],
    ["a reason that steers", { ...HOLD, reason: "a\u001b[2Jb" }, ["reason: must be one line"]],
    [
      "names that nothing has",
      { ...HOLD, scope: { kind: "exchnge", rule: "Nothing" } },
      ['scope.kind: there is no kind "exchnge"', 'scope.rule: there is no rule "Nothing"'],
    ],
  ])("refuses %s", async (_what, body, problems) => {
    const { test, call } = operated();
    const reply = await call("POST", "/api/v1/holds", body);
    expect(reply.status).toBe(400);
    const said = reply.body["problems"] as string[];
    expect(said).toHaveLength(problems.length);
    for (const problem of problems) expect(said.join("\n")).toContain(problem);
    expect(test.loop.state().tables.hold.size).toBe(0);
  });

  it("refuses one that would have ended already", async () => {
    const body = { ...HOLD, for: undefined, until: "2025-12-31T00:00:00Z" };
    expect(await operated().call("POST", "/api/v1/holds", body)).toMatchObject({
      status: 409,
      body: { error: "it would have ended already" },
    });
  });

  it("refuses what is not JSON, and what is too large", async () => {
    const { call } = operated();
    expect((await call("POST", "/api/v1/holds", "{")).status).toBe(400);
    const large = JSON.stringify({ ...HOLD, reason: "x".repeat(20_000) });
    expect((await call("POST", "/api/v1/holds", large)).status).toBe(413);
  });
});

describe("who may", () => {
  it("no one without a tokens file, and the reply says how to make one", async () => {
    const { call, test } = operated({ tokens: false });
    const reply = await call("POST", "/api/v1/kill", { reason: "stop" });
    expect(reply.status).toBe(403);
    expect(reply.body["error"]).toContain("server.tokens_file");
    expect(test.loop.state().tables.kill.size).toBe(0);
  });

  it.each(
    Object.entries(operatorCalls).map(([name, { method, path, needs }]) => ({
      name,
      method: method.toUpperCase(),
      path: path.replace("{id}", "h1"),
      who: needs === "approve" ? "carol" : "bob",
    })),
  )("$name is not for $who, nor for an unknown token", async ({ method, path, who }) => {
    const { call, test } = operated();
    const before = test.findings.length;
    expect((await call(method, path, {}, who)).status).toBe(403);
    expect((await call(method, path, {}, "mallory")).status).toBe(401);
    expect(test.findings).toHaveLength(before);
  });

  it("who may hold alone holds and silences, and ends, releases and decides nothing", async () => {
    const { call } = operated();
    const refused: string[] = [];
    for (const [name, { method, path }] of Object.entries(operatorCalls)) {
      const { status } = await call(method.toUpperCase(), path.replace("{id}", "h1"), {}, "agent");
      if (status === 403) refused.push(name);
    }
    const may = Object.keys(operatorCalls).filter((name) => !refused.includes(name));
    expect(may).toEqual(["hold", "silence"]);
  });
});

describe("proposals", () => {
  it("need as many persons as the rule says, each once, and then are confirmed first", async () => {
    const { test, call, get } = proposed();
    const path = "/api/v1/proposals/p1/approve";
    const digest = [...test.loop.state().tables.proposal.values()][0]?.digest;
    expect((await call("POST", path, { reason: "checked", digest })).status).toBe(200);
    expect((await call("POST", path, { reason: "checked again", digest })).status).toBe(409);
    expect((await get("/api/v1/status")).body).toMatchObject({
      proposals: [
        {
          state: "waiting",
          approvals: [{ by: "alice", reason: "checked" }],
          approvals_needed: 2,
          irreversible: true,
          call: { endpoint: "forceCancel", args: { orderId: "o1" } },
          facts: { status: "STUCK" },
        },
      ],
    });
    expect(test.effects).toEqual([]);
    expect((await call("POST", path, { reason: "me too", digest }, "bob")).status).toBe(200);
    expect(test.effects).toMatchObject([{ type: "probe", why: "confirm" }]);
    expect((await get("/api/v1/status")).body).toMatchObject({
      proposals: [{ state: "approved" }],
    });
  });

  it("are approved by the digest of what was shown; else the refusal shows what is so now", async () => {
    const { test, call } = proposed();
    const path = "/api/v1/proposals/p1/approve";
    const digests = () => [...test.loop.state().tables.proposal.values()].map((one) => one.digest);
    const [digest] = digests();
    for (const other of [undefined, "0123456789abcdef"]) {
      expect(await call("POST", path, { reason: "checked", digest: other })).toMatchObject({
        status: 409,
        body: {
          error: expect.stringContaining(`name its digest ${digest}`) as unknown,
          proposal: { id: "p1", digest, facts: { amount: 10 }, approvals: [] },
        },
      });
    }
    const changed = partOf("o1", test.now, [order("o1", "STUCK", { amount: 10_000 })]);
    test.loop.push(observed("liquidations", [changed]));
    const [now] = digests();
    expect(await call("POST", path, { reason: "checked", digest })).toMatchObject({
      status: 409,
      body: {
        error: expect.stringContaining("p1 was withdrawn: amount was 10, is 10000") as unknown,
        proposal: {
          id: "p2",
          digest: now,
          because: "p1 was withdrawn: amount was 10, is 10000",
          facts: { amount: 10_000 },
          state: "waiting",
        },
      },
    });
    expect(test.effects).toEqual([]);
    const next = { reason: "checked", digest: now };
    expect((await call("POST", "/api/v1/proposals/p2/approve", next)).status).toBe(200);
  });

  it("show what every guard says", async () => {
    const { get } = proposed();
    const { proposals } = (await get("/api/v1/status")).body as {
      proposals: Array<{ guards: Array<{ guard: string; objects: boolean }> }>;
    };
    const objecting = proposals[0]?.guards.filter(({ objects }) => objects);
    expect(objecting).toMatchObject([
      {
        guard: "approval",
        detail: expect.stringMatching(
          /^proposal p1 \([0-9a-f]{16}\) waits for 2 persons/,
        ) as unknown,
      },
    ]);
    // No other replica shares the journal here.
    const asked = SUPPRESSION_REASONS.filter((reason) => reason !== "standby");
    expect(proposals[0]?.guards.map(({ guard }) => guard)).toEqual(asked);
  });

  it("can be denied, with a name and a reason", async () => {
    const { call, get } = proposed();
    await call("POST", "/api/v1/proposals/p1/deny", { reason: "it fills" }, "bob");
    expect((await get("/api/v1/status")).body).toMatchObject({
      proposals: [{ state: "denied", denial: { by: "bob", reason: "it fills" } }],
    });
    const late = await call("POST", "/api/v1/proposals/p1/approve", { reason: "no, go" });
    expect(late.status).toBe(409);
  });
});

describe("the kill switch and quarantines", () => {
  it("is thrown and released by its source, and says what still stops acting", async () => {
    const { test, call } = operated();
    await call("POST", "/api/v1/kill", { reason: "odd prices" });
    expect(test.loop.state().tables.kill.get("operator")).toMatchObject({
      by: "alice",
      reason: "odd prices",
    });
    const command = { name: "kill", source: "file" } as const;
    test.loop.push({ type: "command", by: "KILL", reason: "it exists", command });
    expect((await call("DELETE", "/api/v1/kill", { reason: "fine" })).body).toMatchObject({
      detail: "no action is sent still: the kill switch is on (file)",
    });
  });

  it("holds although the journal cannot be written, and the reply says so", async () => {
    const { test, call } = operated();
    test.diskProblem = "disk full";
    const reply = await call("POST", "/api/v1/kill", { reason: "odd prices" });
    expect(reply).toMatchObject({ status: 200, body: { accepted: true, durable: false } });
    expect(test.loop.state().tables.kill.has("operator")).toBe(true);
  });

  it("a quarantine is ended by the entity's key", async () => {
    const { test, call } = operated();
    const key = "bsc/exchange/BINANCE";
    test.loop.state().tables.quarantine.set(key, { since: START, reason: "undone 2 times" });
    const body = { entity: key, reason: "they agreed" };
    expect(await call("DELETE", "/api/v1/quarantines", body)).toMatchObject({ status: 200 });
    expect(test.loop.state().tables.quarantine.size).toBe(0);
    expect((await call("DELETE", "/api/v1/quarantines", body)).status).toBe(409);
  });
});

describe("the reasons", () => {
  it("are given for now, with each guard", async () => {
    const { get } = proposed();
    const { body } = await get("/api/v1/explain?rule=Stuck&entity=liquidation/o1");
    expect(body).toMatchObject({
      reconstructed: false,
      explanation: { alert: { state: "firing" }, action: { mode: "propose" } },
    });
    expect((body["told"] as string[]).join("\n")).toContain(
      "force_cancel_order is not sent (approval): ",
    );
  });

  it("are given for a past instant", async () => {
    const { test, get } = proposed();
    test.now += HOUR;
    const at = new Date(START + MINUTE).toISOString();
    const { body } = await get(`/api/v1/explain?rule=Stuck&entity=liquidation/o1&at=${at}`);
    expect(body).toMatchObject({
      reconstructed: true,
      judged_at: "2026-01-01T00:00:00.000Z",
      explanation: {
        condition: { truth: "bad", poller: "liquidations" },
        alert: { state: "firing" },
        action: { name: "force_cancel_order", mode: "propose" },
        remediations: [],
      },
    });
    const told = (body["told"] as string[]).join("\n");
    expect(told).toContain("firing since 2026-01-01T00:00:00.000Z, for 1m.");
    expect(told).toContain("force_cancel_order is not sent (approval): ");
    expect(told).toMatch(
      /p1 \([0-9a-f]{16}\) proposed: waits for a person to approve force_cancel/,
    );
  });

  it("are given neither for a future instant, nor for one before the journal begins", async () => {
    const { get } = proposed();
    const path = "/api/v1/explain?rule=Stuck&entity=liquidation/o1&at=";
    expect(await get(`${path}2025-01-01T00:00:00Z`)).toEqual({
      status: 410,
      body: { error: "the journal looks back to 2026-01-01T00:00:00.000Z only" },
    });
    expect((await get(`${path}2027-01-01T00:00:00Z`)).body).toMatchObject({
      problems: ["at: 2027-01-01T00:00:00Z is in the future; now it is 2026-01-01T00:00:00.000Z"],
    });
  });

  it.each([
    ["rule=Nothing&entity=exchange/A", 404],
    ["rule=Stuck&entity=liquidation/none", 404],
    ["rule=Stuck&entity=exchange/A", 404],
    ["rule=Stuck&entity=liquidation", 400],
    ["rule=Stuck&entity=liquidation/o1&at=yesterday", 400],
    ["entity=liquidation/o1", 400],
  ])("of %s: %i", async (query, status) => {
    expect((await proposed().get(`/api/v1/explain?${query}`)).status).toBe(status);
  });

  it("and everything that happened, newest first", async () => {
    const { call, get } = proposed();
    await call("POST", "/api/v1/kill", { reason: "odd prices" });
    const { body } = await get("/api/v1/findings?limit=5");
    expect(body).toContainEqual(
      expect.objectContaining({
        type: "command",
        what: "kill accepted",
        by: "alice",
        reason: "odd prices",
      }),
    );
    expect((await get("/api/v1/findings?limit=0")).status).toBe(400);
  });
});
