/** Tests src/cli/operate: what `alerts` says of an alert whose repair is under way. */
import { expect, it, type TestContext } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { exchange, repair, rule } from "../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../core/world.ts";
import { sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

/** A world in which `r1` was sent. */
function acted(): World {
  const world = scriptedWorld({ rules: [rule({ act: repair() })] });
  world.sees("exchanges", [exchange("BINANCE", "disabled")]).passes("100ms");
  expect(world.remediations()).toEqual(["r1 requested"]);
  return world;
}

async function served(context: TestContext, world: World): Promise<string> {
  const { url, close } = await startServer(createApp(sourceOf(world)), "127.0.0.1", 0);
  context.onTestFinished(close);
  return url;
}

it("names the remediation that is not settled, until it is", async (context) => {
  const world = acted();
  const url = await served(context, world);
  const alerts = async (): Promise<string> =>
    (await commandLine(["alerts", "--all", "--url", url])).printed;
  expect(await alerts()).toMatch(/ in_flight: remediation r1 of it is not settled$/);
  world.replies("r1", "acknowledged").becomes("exchanges", [exchange("BINANCE", "enabled")]);
  world.passes("1s");
  expect(world.remediations()).toEqual(["r1 verified"]);
  expect(await alerts()).not.toContain("r1");
});

it("names it in the API's rows and status alike", async (context) => {
  const url = await served(context, acted());
  for (const path of ["alerts", "status"]) {
    const answer: unknown = await (await fetch(`${url}/api/v1/${path}`)).json();
    expect(answer).toMatchObject({ alerts: [{ open_remediation: "r1" }] });
  }
});
