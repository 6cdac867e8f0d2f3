/** Tests src/io/api/details/entity-history.ts: which histories are kept. */
import { expect, it } from "vitest";
import type { EntityHistoryJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import type { EntityPast } from "../../../../src/io/api/past/entity-past.ts";
import { exchange, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, START } from "../../../core/world.ts";
import { sourceOf } from "../server-fixture.ts";

const AT = START + 60_000;

/** Asks for the history until `AT` so long after it, by a record that gets one more reading after each answer. */
async function statusesAsked(agesMs: readonly number[]): Promise<readonly unknown[]> {
  const world = scriptedWorld({ rules: [rule()] }).sees("exchanges", [exchange("A", "enabled")]);
  let now = AT;
  let written = 0;
  const past = (): EntityPast => {
    written += 1;
    const state = { at: START, state: "seen", status: `read ${written}` } as const;
    return { from: START, until: AT, states: [state], rules: [], bucketMs: 500, facts: [] };
  };
  const app = createApp(
    sourceOf(world, {
      now: () => now,
      entityPast: () => Promise.resolve({ ok: true, value: past() }),
    }),
  );
  const statuses: unknown[] = [];
  for (const age of agesMs) {
    now = AT + age;
    const at = new Date(AT).toISOString();
    const reply = await app.request(`/api/v1/entities/bsc/exchange/A/history?span=1m&at=${at}`);
    const { bands } = (await reply.json()) as EntityHistoryJson;
    statuses.push(bands.at(-1)?.status);
  }
  return statuses;
}

it("a history whose end was not recorded yet is made again", async () => {
  expect(await statusesAsked([0, 2_000, 60_000])).toEqual(["read 1", "read 2", "read 3"]);
});

it("a history whose end is long over is kept", async () => {
  expect(await statusesAsked([30_000, 60_000])).toEqual(["read 1", "read 1"]);
});
