/** Tests src/cli/operate: what it and the page say of alerts whose condition is unknown. */
import { expect, it, type TestContext } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { renderPage } from "../../../src/io/page/page.ts";
import { ruleFile, rulesOf } from "../../config/rules/rule-text.ts";
import { pool } from "../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../core/world.ts";
import { sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

const DROPPED = ruleFile(
  "alert: Dropped",
  "each: pool",
  "with: { base_10m_max: { fact: base, max: 10m } }",
  "when: pool.base < 0.5 * pool.base_10m_max",
);

/** An alert that what was seen of its window decides, and soon decides no longer. */
function undecided(): World {
  const world = scriptedWorld({ rules: rulesOf(DROPPED) });
  world.sees("pools", [pool("P", 100)]);
  for (let poll = 0; poll < 6; poll += 1) world.passes("10s").sees("pools", [pool("P", 100)]);
  world
    .sees("pools", [pool("P", 10)])
    .passes("10s")
    .sees("pools", [pool("P", 60)]);
  expect(world.alerts()).toEqual(["Dropped P firing (unknown)"]);
  return world;
}

async function alertsOf(context: TestContext, world: World): Promise<string> {
  const { url, close } = await startServer(createApp(sourceOf(world)), "127.0.0.1", 0);
  context.onTestFinished(close);
  return (await commandLine(["alerts", "--url", url])).printed;
}

it("says that a window is not covered, if that alone is not known of what is read", async (context) => {
  const world = undecided();
  const why =
    'the windowed fact "base_10m_max" is not known: its window is not covered, or too much of it was lost';
  const alerts = await alertsOf(context, world);
  expect(alerts).toMatch(/^STATE.* UNKNOWN BECAUSE\nfiring \(unknown\) /);
  expect(alerts).toContain(why);
  const html = await renderPage(sourceOf(world));
  expect(html).toContain(`unknown for 0s (${why.replaceAll('"', "&quot;")}`);
  expect(html).toContain("): stands still, not resolved");
  expect(html).not.toContain("not seen for");
});

it("says that there is no sure reading, if the entity is not read", async (context) => {
  const world = undecided();
  world.fails("pools");
  expect(await alertsOf(context, world)).toContain("no sure reading");
  expect(await renderPage(sourceOf(world))).toMatch(/unknown for \w+ \(no sure reading\): stands/);
});
