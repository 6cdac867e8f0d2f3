/** Tests src/io/api/lists/watch-lists.ts. */
import { expect, it } from "vitest";
import { mergeWatch } from "../../../../src/core/change/watch-list.ts";
import type { WatchEntry, WatchListing } from "../../../../src/domain/watch.ts";
import type { WatchJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { watchKinds } from "../../../../src/pollers/watch-kinds.ts";
import { scriptedWorld } from "../../../core/world.ts";
import { sourceOf } from "../server-fixture.ts";

const ENTRIES: readonly WatchEntry[] = [
  { kind: "sender", target: "0xabcd", alias: "desk" },
  { kind: "sender", target: "abc" },
  { kind: "order", target: "spot/123/0xOWNER" },
];

async function entries(query: Record<string, string>): Promise<string[]> {
  const listing: WatchListing = { source: "api", name: "", entries: ENTRIES };
  const merged = [...mergeWatch(watchKinds, [listing]).entries.values()];
  const reading = { aggregator: "bsc", entries: merged, sources: [], conflicts: [], sweeps: [] };
  const app = createApp(sourceOf(scriptedWorld({ rules: [] }), { watched: () => [reading] }));
  const reply = await app.request(`/api/v1/watch?${new URLSearchParams(query).toString()}`);
  const { aggregators } = (await reply.json()) as WatchJson;
  return aggregators.flatMap((one) => one.entries.map(({ target }) => target));
}

it("GET /api/v1/watch finds the entry of a target, however it is written", async () => {
  expect(await entries({ kind: "sender", target: "0xABCD" })).toEqual(["0xabcd"]);
  expect(await entries({ kind: "order", target: "spot/123" })).toEqual(["spot/123/0xOWNER"]);
  expect(await entries({ kind: "order", target: "spot/123/other" })).toEqual(["spot/123/0xOWNER"]);
  expect(await entries({ target: "abc" })).toEqual(["abc"]);
});

it("GET /api/v1/watch takes no part of a target, no alias and no other id for it", async () => {
  expect(await entries({ kind: "sender", target: "0xab" })).toEqual([]);
  expect(await entries({ kind: "sender", target: "desk" })).toEqual([]);
  expect(await entries({ kind: "sender", target: "ABC" })).toEqual([]);
  expect(await entries({ kind: "pool", target: "spot/123" })).toEqual([]);
  expect(await entries({ text: "DESK" })).toEqual(["0xabcd"]);
});
