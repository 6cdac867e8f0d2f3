/** Tests src/io/api/lists/pollers.ts, poll-history.ts. */
import { describe, expect, it } from "vitest";
import type { PollOutcome } from "../../../../src/domain/observation.ts";
import { createPollHistory, MOST_RECENT } from "../../../../src/io/api/lists/poll-history.ts";
import type { PollersJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../src/domain/time.ts";
import { entitiesThen, eventfulWorld, sourceOf } from "../server-fixture.ts";

const polled = (outcome: PollOutcome, durationMs: number, detail = "") =>
  ({
    type: "polled",
    aggregator: "bsc",
    poller: "exchanges",
    origin: "poll",
    outcome,
    durationMs,
    detail,
  }) as const;

describe("GET /api/v1/pollers", () => {
  it("gives the last polls, and those of a span in buckets", async () => {
    const world = eventfulWorld();
    const polls = createPollHistory();
    const hour = Math.floor(world.now / HOUR) * HOUR;
    polls.note(hour - 3 * HOUR, polled("complete", 5));
    polls.note(hour - 50 * MINUTE, polled("complete", 10));
    polls.note(hour - 50 * MINUTE + SECOND, polled("failed", 30, "status: 503"));
    polls.note(hour - 40 * MINUTE, polled("complete", 20));
    polls.note(hour - MINUTE, { ...polled("failed", 1), origin: "probe" });
    const app = createApp(sourceOf(world, { polls }));
    const reply = await app.request("/api/v1/pollers?span=1h&bucket=30m");
    const { pollers } = (await reply.json()) as PollersJson;
    const own = pollers.find(({ entity }) => entity.id === "exchanges");
    expect(own?.entity).toMatchObject({ kind: "poller", condition: "ok", facts: { up: true } });
    expect(own?.recent.map(({ outcome, duration_ms }) => [outcome, duration_ms])).toEqual([
      ["complete", 5],
      ["complete", 10],
      ["failed", 30],
      ["complete", 20],
    ]);
    expect(own?.buckets).toEqual([
      {
        from: new Date(hour - HOUR).toISOString(),
        until: new Date(hour - HOUR + 30 * MINUTE).toISOString(),
        polls: 3,
        complete: 2,
        partial: 0,
        truncated: 0,
        failed: 1,
        mean_ms: 20,
        max_ms: 30,
        detail: "status: 503",
      },
    ]);
  });

  it("has in the past the very first minute that was recorded, too", async () => {
    const world = eventfulWorld();
    const polls = createPollHistory();
    const [minute, since] = [world.now - (world.now % MINUTE) - MINUTE, 40 * SECOND];
    polls.note(minute + since, polled("complete", 5));
    polls.note(minute + since + 5 * SECOND, polled("complete", 5));
    const { past, ...source } = sourceOf(world, {
      entitiesAt: entitiesThen(world, { polls, since: minute + since }),
    });
    const app = createApp({ ...source, past: { ...past, reachesBackTo: () => minute } });
    const at = new Date(world.now).toISOString();
    const reply = await app.request(`/api/v1/pollers?bucket=1m&at=${at}`);
    const { pollers } = (await reply.json()) as PollersJson;
    const own = pollers.find(({ entity }) => entity.id === "exchanges");
    expect(own?.buckets.map(({ from, polls: count }) => [from, count])).toEqual([
      [new Date(minute).toISOString(), 2],
    ]);
  });

  it("keeps a bounded past of each poller", () => {
    const polls = createPollHistory();
    for (let at = 0; at < 2 * DAY; at += 30 * SECOND)
      polls.note(at, polled("failed", 1, "x".repeat(10_000)));
    const { recent, minutes } = polls.of("bsc", "exchanges");
    expect([recent.length, minutes.length]).toEqual([MOST_RECENT, DAY / MINUTE]);
    expect(recent[0]?.detail.length).toBe(200);
    expect(polls.of("bsc", "other")).toEqual({ recent: [], minutes: [] });
  });

  it.each([
    ["span=25h", 400],
    ["span=59s", 400],
    ["bucket=x", 400],
    ["span=1m&bucket=1m", 200],
    ["span=1d&bucket=1d", 200],
  ])("answers %s with %i", async (query, status) => {
    const reply = await createApp(sourceOf(eventfulWorld())).request(`/api/v1/pollers?${query}`);
    expect(reply.status).toBe(status);
  });
});
