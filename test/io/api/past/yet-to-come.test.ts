import { expect, it } from "vitest";
import { createApp } from "../../../../src/io/api/server.ts";
import { rule } from "../../../core/fixtures.ts";
import { scriptedWorld } from "../../../core/world.ts";
import { sourceOf } from "../server-fixture.ts";

it("every read that takes an instant refuses one that is yet to come, and says what time it is", async () => {
  const world = scriptedWorld({ rules: [rule({})] });
  const app = createApp(sourceOf(world));
  type Operation = { readonly parameters?: ReadonlyArray<{ readonly name: string }> };
  const { paths } = (await (await app.request("/api/v1/openapi.json")).json()) as {
    paths: Record<string, { get?: Operation }>;
  };
  const reads = Object.entries(paths)
    .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === "at"))
    .map(([path]) => path.replaceAll(/\{\w+\}/g, "x"));
  expect(reads).toContain("/api/v1/entities/x/x/x/history");
  const [now, later] = [0, 1].map((more) => new Date(world.now + more).toISOString());
  for (const path of reads) {
    const query = `at=${later}&rule=R&entity=exchange/E`;
    // oxlint-disable-next-line no-await-in-loop -- few
    const reply = await app.request(`${path}?${query}`);
    expect([reply.status, await reply.json()], path).toEqual([
      400,
      {
        error: "the query is wrong",
        problems: [`at: ${later} is in the future; now it is ${now}`],
      },
    ]);
  }
});
