import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { LONGEST_TOKEN } from "../../../src/schema/token-length.ts";
import type { Scope, Token } from "../../../src/config/settings/tokens.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import type { ReloadOutcome } from "../../../src/io/api/server-source.ts";
import {
  createTokenGate,
  MOST_CLIENTS,
  MOST_FAILURES,
  MOST_HELD_BACK,
} from "../../../src/io/api/tokens.ts";
import { scriptedWorld } from "../../core/world.ts";
import { sourceOf } from "./server-fixture.ts";

function token(name: string, secret: string, ...scopes: readonly Scope[]): Token {
  return { name, sha256: createHash("sha256").update(secret).digest("hex"), scopes };
}

function gateOf(tokens: readonly Token[] | undefined, pause = async (): Promise<void> => {}) {
  const clock = { at: 1_000_000, now: () => clock.at };
  const refused: string[] = [];
  const gate = createTokenGate({
    tokens: () => tokens,
    clock,
    onRefused: (client, reason) => refused.push(`${client}: ${reason}`),
    pause,
  });
  return { gate, clock, refused };
}

const ALICE = token("alice", "s3cret", "operate");

describe("the gate", () => {
  it("lets the holder of the scope pass, by name", () => {
    const { gate, refused } = gateOf([token("bob", "other", "read"), ALICE]);
    expect(gate.check("Bearer s3cret", "operate", "::1")).toEqual({ allowed: true, name: "alice" });
    expect(gate.check("bearer s3cret", "operate", "::1")).toMatchObject({ allowed: true });
    expect(refused).toEqual([]);
  });

  it.each([
    ["no token", undefined, 401],
    ["another scheme", "Basic s3cret", 401],
    ["an unknown token", "Bearer s3cre", 401],
    ["the hash instead of the token", `Bearer ${ALICE.sha256}`, 401],
    ["an empty token", "Bearer ", 401],
    ["two tokens", "Bearer s3cret s3cret", 401],
  ])("refuses %s", (_what, authorization, status) => {
    const { gate, refused } = gateOf([ALICE]);
    expect(gate.check(authorization, "operate", "::1")).toMatchObject({ allowed: false, status });
    expect(refused).toHaveLength(1);
    expect(refused.join()).not.toContain("s3cre");
  });

  it("says of a token that is too long how long it may be, and never the token", () => {
    const whole = "s3cret".repeat(200);
    const { gate, refused } = gateOf([ALICE, token("bob", whole, "operate")]);
    const reason =
      "the token in the header Authorization is too long: it has 1200 characters, and a token has at most 1000. Make a shorter one (docs/operations.md says how).";
    const told = gate.check(`Bearer ${whole}`, "operate", "::1");
    expect(told).toEqual({ allowed: false, status: 401, reason });
    expect(refused).toEqual([`::1: ${reason}`]);
    const longest = "a".repeat(LONGEST_TOKEN);
    const { gate: ofLongest } = gateOf([token("bob", longest, "operate")]);
    expect(ofLongest.check(`Bearer ${longest}`, "operate", "::1")).toMatchObject({ allowed: true });
  });

  it("refuses a holder who lacks the scope, by name", () => {
    const { gate } = gateOf([ALICE]);
    expect(gate.check("Bearer s3cret", "approve", "::1")).toEqual({
      allowed: false,
      status: 403,
      reason: "the token of alice lacks the scope approve",
    });
  });

  it("allows no call without a tokens file, and says how to make one", () => {
    const { gate } = gateOf(undefined);
    expect(gate.check("Bearer s3cret", "operate", "::1")).toMatchObject({
      status: 403,
      reason: expect.stringContaining("server.tokens_file"),
    });
    expect(gateOf([]).gate.check("Bearer s3cret", "operate", "::1")).toMatchObject({ status: 401 });
  });

  it("answers 429 to further wrong tokens of an address after too many, and to no other address", () => {
    const { gate, clock, refused } = gateOf([ALICE]);
    for (let count = 0; count < MOST_FAILURES; count += 1) {
      const wrong = `Bearer wrong-${count}`;
      expect(gate.check(wrong, "operate", "1.1.1.1")).toMatchObject({ status: 401 });
      clock.at += 1_000;
    }
    const rest = 60 - MOST_FAILURES;
    expect(gate.check("Bearer guess", "operate", "1.1.1.1")).toMatchObject({
      status: 429,
      retryAfterSeconds: rest,
    });
    expect(refused).toHaveLength(MOST_FAILURES);
    expect(gate.check("Bearer guess", "operate", "2.2.2.2")).toMatchObject({ status: 401 });
    clock.at += rest * 1_000;
    expect(gate.check("Bearer guess", "operate", "1.1.1.1")).toMatchObject({ status: 401 });
  });

  it("lets a valid token pass, however many wrong ones came from the same address", () => {
    const { gate } = gateOf([ALICE]);
    for (let count = 0; count < 100 * MOST_FAILURES; count += 1) {
      gate.check(`Bearer wrong-${count}`, "operate", "1.1.1.1");
    }
    expect(gate.check("Bearer wrong", "operate", "1.1.1.1")).toMatchObject({ status: 429 });
    expect(gate.check("Bearer s3cret", "operate", "1.1.1.1")).toEqual({
      allowed: true,
      name: "alice",
    });
    // Nor is a token that lacks the scope a guess.
    expect(gate.check("Bearer s3cret", "approve", "1.1.1.1")).toMatchObject({ status: 403 });
  });

  it("counts an outdated token that a program keeps sending as one wrong token", () => {
    const { gate } = gateOf([ALICE]);
    for (let count = 0; count < 10 * MOST_FAILURES; count += 1) {
      expect(gate.check("Bearer outdated", "operate", "1.1.1.1")).toMatchObject({ status: 401 });
    }
    expect(gate.check("Bearer s3cret", "operate", "1.1.1.1")).toMatchObject({ allowed: true });
    for (let count = 1; count < MOST_FAILURES; count += 1) {
      expect(gate.check(`Bearer guess-${count}`, "operate", "1.1.1.1")).toMatchObject({
        status: 401,
      });
    }
    expect(gate.check("Bearer one-more", "operate", "1.1.1.1")).toMatchObject({ status: 429 });
  });

  it("remembers a bounded number of addresses, and forgets the oldest", () => {
    const { gate } = gateOf([ALICE]);
    for (let count = 0; count < MOST_FAILURES; count += 1) {
      gate.check(`Bearer wrong-${count}`, "operate", "first");
    }
    for (let client = 0; client < MOST_CLIENTS - 1; client += 1) {
      gate.check("Bearer wrong", "operate", `client ${client}`);
    }
    expect(gate.check("Bearer wrong", "operate", "first")).toMatchObject({ status: 429 });
    gate.check("Bearer wrong", "operate", "one more");
    expect(gate.check("Bearer wrong", "operate", "first")).toMatchObject({ status: 401 });
  });
});

describe("the answers that are held back", () => {
  it("are those to wrong tokens of an address that sent too many, up to a number at a time", async () => {
    const released = Promise.withResolvers<void>();
    const { gate } = gateOf([ALICE], () => released.promise);
    const app = createApp(sourceOf(scriptedWorld({ rules: [] }), { gate }));
    const statuses: number[] = [];
    const post = async (secret: string): Promise<void> => {
      const headers = { authorization: `Bearer ${secret}` };
      statuses.push((await app.request("/-/reload", { method: "POST", headers })).status);
    };
    for (let count = 0; count < MOST_FAILURES; count += 1) await post(`wrong-${count}`);
    expect(statuses).toEqual(Array(MOST_FAILURES).fill(401));
    const held = Array.from({ length: MOST_HELD_BACK }, (_, count) => post(`guess-${count}`));
    statuses.length = 0;
    // The right one is not among those that wait (422: there is nothing to reload here).
    await post("s3cret");
    expect(statuses).toEqual([422]);
    await post("one guess more");
    await post("guess-too-many");
    expect(statuses).toEqual([422, 401, 429]);
    released.resolve();
    await Promise.all(held);
    expect(statuses.slice(3)).toEqual(Array(MOST_HELD_BACK).fill(429));
  });
});

describe("POST /-/reload", () => {
  const done: ReloadOutcome = {
    ok: true,
    value: {
      settings: [{ key: "actions.mode", before: "shadow", after: "act" }],
      rules: { added: ["New"], removed: [], changed: [] },
      alerts: Array.from({ length: 300 }, (_, index) => ({
        alertname: "New",
        entity: `bsc/exchange/${index}`,
        change: "firing" as const,
        detail: "",
      })),
      actions: [
        {
          action: "enable_exchange",
          alertname: "New",
          entity: "bsc/exchange/1",
          outcome: "suppressed",
          reason: "budget",
          detail: "spent",
        },
      ],
      entitiesEnded: 2,
    },
  };

  function appOf(outcome: ReloadOutcome) {
    const calls: string[] = [];
    const app = createApp(
      sourceOf(scriptedWorld({ rules: [] }), {
        gate: gateOf([ALICE, token("bob", "other", "read")]).gate,
        reload: (by, dryRun) => {
          calls.push(`${by} ${dryRun}`);
          return outcome;
        },
      }),
    );
    const post = async (query: string, secret = "s3cret"): Promise<Response> =>
      await app.request(`/-/reload${query}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}` },
      });
    return { app, post, calls };
  }

  it("reloads, or only says what would be, and lists no more than can be read", async () => {
    const { post, calls } = appOf(done);
    const reply = (await (await post("")).json()) as Record<string, { first: unknown[] }>;
    expect(reply).toMatchObject({
      reloaded: true,
      dry_run: false,
      settings: [{ key: "actions.mode", before: "shadow", after: "act" }],
      rules: { added: ["New"] },
      alerts: { total: 300 },
      actions: { total: 1, first: [{ outcome: "suppressed", reason: "budget" }] },
      entities_ended: 2,
    });
    expect(reply["alerts"]?.first).toHaveLength(200);
    expect(await (await post("?dry_run=true")).json()).toMatchObject({ reloaded: false });
    expect((await post("?dry_run=false")).status).toBe(200);
    expect(calls).toEqual(["alice false", "alice true", "alice false"]);
  });

  it("says every problem", async () => {
    const { post } = appOf({ ok: false, problem: "a.yaml:1:1: error\n1 problem" });
    const reply = await post("");
    expect(reply.status).toBe(422);
    expect(await reply.json()).toEqual({
      reloaded: false,
      dry_run: false,
      problems: "a.yaml:1:1: error\n1 problem",
    });
  });

  it("does nothing for a wrong query, a wrong token, a missing scope, or another method", async () => {
    const { app, post, calls } = appOf(done);
    expect((await post("?dry_run=maybe")).status).toBe(400);
    const unknown = await post("?dry_run=maybe", "wrong");
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get("www-authenticate")).toBe("Bearer");
    expect((await post("", "other")).status).toBe(403);
    expect((await app.request("/-/reload")).status).toBe(405);
    expect(calls).toEqual([]);
  });

  it("counts wrong tokens by the socket's address, whatever a header claims", async () => {
    const { app } = appOf(done);
    const server = await startServer(app, "127.0.0.1", 0);
    try {
      const statuses: number[] = [];
      for (let count = 0; count <= MOST_FAILURES; count += 1) {
        const headers = {
          authorization: `Bearer wrong-${count}`,
          "x-forwarded-for": `10.0.0.${count}`,
        };
        const reply = await fetch(`${server.url}/-/reload`, { method: "POST", headers });
        statuses.push(reply.status);
        if (reply.status === 429) expect(Number(reply.headers.get("retry-after"))).toBe(60);
      }
      expect(statuses.slice(0, -1)).toEqual(Array(MOST_FAILURES).fill(401));
      expect(statuses.at(-1)).toBe(429);
      const headers = { authorization: "Bearer s3cret" };
      const right = await fetch(`${server.url}/-/reload`, { method: "POST", headers });
      expect(right.status).toBe(200);
    } finally {
      await server.close();
    }
  });

  it("is in the OpenAPI document", async () => {
    const { app } = appOf(done);
    const document = (await (await app.request("/api/v1/openapi.json")).json()) as {
      paths: Record<string, { post?: { responses: object } }>;
    };
    expect(Object.keys(document.paths["/-/reload"]?.post?.responses ?? {})).toEqual([
      "200",
      "400",
      "401",
      "403",
      "422",
      "429",
    ]);
  });
});
