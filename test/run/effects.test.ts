import { afterEach, describe, expect, it } from "vitest";
import type { ServerResponse } from "node:http";
import type { Event } from "../../src/domain/step.ts";
import type { PollRequest } from "../../src/io/aggregator/poll-runner.ts";
import { NOTHING_WATCHED } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";
import { exchangesPoller } from "../../src/pollers/exchanges.ts";
import { createEffects } from "../../src/run/effects.ts";
import { sendJson } from "../io/local-server.ts";
import { connect, type Fixture } from "../io/aggregator/client-fixture.ts";

let fixtures: Fixture[] = [];

afterEach(async () => {
  await Promise.all(fixtures.map(({ close }) => close()));
  fixtures = [];
});

/** Effects over a real server whose answers the test holds back until it wants them. */
async function effectsWorld() {
  const held: Array<{ readonly url: string; readonly response: ServerResponse }> = [];
  const waiting: Array<() => void> = [];
  const fixture = await connect(
    ({ url }, response) => {
      held.push({ url, response });
      for (const wake of waiting.splice(0)) wake();
    },
    { timeouts: { connectMs: 5_000, responseMs: 20_000, requestMs: 20_000 } },
  );
  fixtures.push(fixture);
  const events: Event[] = [];
  const stopping = new AbortController();
  const probed: string[] = [];
  const probeRequest = (
    aggregator: string,
    _poller: string,
    only: string,
  ): PollRequest | undefined => {
    probed.push(only);
    return aggregator !== "bsc"
      ? undefined
      : {
          aggregator,
          poller: exchangesPoller,
          client: fixture.client,
          watch: NOTHING_WATCHED,
          statuses: DEFAULT_STATUSES,
          clock: { now: () => Date.now() },
          signal: stopping.signal,
          origin: "probe",
          only: new Set([only]),
        };
  };
  const effects = createEffects({
    notify: () => {},
    push: (event) => {
      events.push(event);
      for (const wake of waiting.splice(0)) wake();
    },
    clientOf: (aggregator) => (aggregator === "bsc" ? fixture.client : undefined),
    probeRequest,
    outdated: () => undefined,
    actSignal: new AbortController().signal,
  });
  return {
    effects,
    events,
    held,
    stopping,
    /** The surfaces of the polls that probes began. */
    probed,
    /** Resolves when the condition holds; it is looked at after each request and each event. */
    until: async (holds: () => boolean): Promise<void> => {
      while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    answerAll: () => {
      for (const { url, response } of held.splice(0)) {
        if (url.includes("toggle")) sendJson(response, {});
        else sendJson(response, url.includes("disabled") ? { exchanges: [], pairs: [] } : ["A"]);
      }
    },
  };
}

const probe = {
  type: "probe",
  aggregator: "bsc",
  poller: "exchanges",
  surface: "all",
  why: "confirm",
} as const;

const act = {
  type: "act",
  askedAt: 0,
  remediation: "r1",
  aggregator: "bsc",
  action: "enable_exchange",
  call: { endpoint: "enableExchange", args: { exchange: "A" } },
} as const;

describe("a probe", () => {
  it("runs alone on its surface; many that are wanted meanwhile are one that follows", async () => {
    const world = await effectsWorld();
    for (let count = 0; count < 5; count += 1) world.effects.perform(probe);
    expect(world.probed).toEqual(["all"]);
    await world.until(() => world.held.length === 2);
    world.effects.perform(probe);
    expect(world.held.map(({ url }) => url).toSorted()).toEqual([
      "/api/v1/exchange/disabled",
      "/api/v1/exchange/list",
    ]);
    world.answerAll();
    await world.until(() => world.held.length === 2);
    expect(world.events).toHaveLength(1);
    world.answerAll();
    await world.until(() => world.events.length === 2);
    expect(world.events[1]).toMatchObject({
      type: "observed",
      observation: { aggregator: "bsc", origin: "probe", parts: [{ surface: "all" }] },
    });
    // Nothing waits any more, so the next one asks at once.
    world.effects.perform(probe);
    await world.until(() => world.held.length === 2);
    world.answerAll();
    await world.until(() => world.events.length === 3);
    expect(world.probed).toHaveLength(3);
  });

  it("does not wait for the one of another surface", async () => {
    const world = await effectsWorld();
    world.effects.perform(probe);
    world.effects.perform({ ...probe, surface: "other" });
    world.effects.perform({ ...probe, surface: "other" });
    expect(world.probed).toEqual(["all", "other"]);
    world.stopping.abort();
  });

  it("of a poller that is not there says nothing", async () => {
    const world = await effectsWorld();
    world.effects.perform({ ...probe, aggregator: "unknown" });
    world.effects.perform(probe);
    await world.until(() => world.held.length === 2);
    world.answerAll();
    await world.until(() => world.events.length === 1);
    expect(world.events).toMatchObject([{ observation: { aggregator: "bsc" } }]);
  });

  it("that shutdown cuts off says nothing of the aggregator", async () => {
    const world = await effectsWorld();
    world.effects.perform(probe);
    world.effects.perform(probe);
    await world.until(() => world.held.length === 2);
    world.stopping.abort();
    world.effects.perform(act);
    await world.until(() => world.held.some(({ url }) => url.includes("toggle")));
    world.answerAll();
    await world.effects.settle();
    expect(world.events.map(({ type }) => type)).toEqual(["acted"]);
  });
});

describe("an action", () => {
  it("is sent once, and its answer comes back as an event that settle waits for", async () => {
    const world = await effectsWorld();
    world.effects.perform(act);
    await world.until(() => world.held.length === 1);
    let settled = false;
    const settling = world.effects.settle().then(() => (settled = true));
    await Promise.resolve();
    expect(settled).toBe(false);
    expect(world.events).toEqual([]);
    world.answerAll();
    await settling;
    expect(world.events).toMatchObject([
      { type: "acted", remediation: "r1", reply: { outcome: "acknowledged" } },
    ]);
    expect(fixtures[0]?.server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /api/v1/exchange/toggle/A",
    ]);
    await world.effects.settle();
  });

  it("for an aggregator that is not there is rejected: it was surely not sent", async () => {
    const world = await effectsWorld();
    world.effects.perform({ ...act, aggregator: "unknown" });
    await world.effects.settle();
    expect(world.events).toEqual([
      {
        type: "acted",
        remediation: "r1",
        reply: { outcome: "rejected", detail: "not sent: no such aggregator" },
      },
    ]);
    expect(world.held).toEqual([]);
  });
});
