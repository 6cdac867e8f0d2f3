/** Tests src/io/api/overview/overview.ts where the journal is a database that replicas share. */
import { expect, it } from "vitest";
import type { OverviewJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { START } from "../../../core/world.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";

async function overviewOf(app: ReturnType<typeof createApp>): Promise<OverviewJson> {
  return (await (await app.request("/api/v1/overview")).json()) as OverviewJson;
}

it("an overview waits a second at most for a database that hangs", async () => {
  const world = eventfulWorld();
  const source = sourceOf(world);
  let isHanging = false;
  const recordSpan: typeof source.past.recordSpan = async () =>
    isHanging
      ? await new Promise(() => undefined)
      : await Promise.resolve({ firstAt: START, lastAt: START });
  const past = { ...source.past, reachesBackTo: () => START, recordSpan };
  const app = createApp({ ...source, past });
  await overviewOf(app);
  isHanging = true;
  for (let asked = 0; asked < 2; asked += 1) {
    world.passes("1m");
    expect(Date.parse((await overviewOf(app)).kept_since ?? "")).toBe(START);
  }
});

it("an overview is made anew within a second once the rows of a standby were read again", async () => {
  const world = eventfulWorld();
  const source = sourceOf(world);
  let { entities } = source.view();
  const app = createApp({ ...source, view: () => ({ ...source.view(), entities }) });
  expect((await overviewOf(app)).killed).toEqual([]);
  world.commands({ name: "kill", source: "operator" });
  expect((await overviewOf(app)).killed).toEqual([]);
  entities = new Map(entities);
  expect((await overviewOf(app)).killed).toHaveLength(1);
});
