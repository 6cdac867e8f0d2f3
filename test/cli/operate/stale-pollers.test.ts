/** Tests src/cli/operate: what `status` and `top` say of a poller that is stale, or failed before the start. */
import { PassThrough } from "node:stream";
import { expect, it, type TestContext } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { createEvents } from "../../acceptance/events.ts";
import { exchange, rule } from "../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../core/world.ts";
import { sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

async function served(context: TestContext, world: World): Promise<string> {
  const { url, close } = await startServer(createApp(sourceOf(world)), "127.0.0.1", 0);
  context.onTestFinished(close);
  return url;
}

/** A daemon that read exchanges once, and then nothing for so long that they are not known any more. */
async function stale(context: TestContext): Promise<string> {
  const world = scriptedWorld({ rules: [rule()] });
  world.sees("exchanges", [exchange("BINANCE", "enabled")]).passes("1h");
  const url = await served(context, world);
  expect(await (await fetch(`${url}/plain`)).text()).toContain("stale</span>");
  return url;
}

it("is none of those that status calls up", async (context) => {
  const { printed } = await commandLine(["status", "--url", await stale(context)]);
  expect(printed).toMatch(/^bsc: 0 of \d pollers up/m);
});

/** The first screen of `top`. */
async function firstScreen(context: TestContext, url: string): Promise<string> {
  const screens = createEvents<string>(context, "screen");
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { rows: 24 });
  const streams = { input, output };
  const change = { isTerminal: true, width: 80, print: screens.add, streams };
  const ran = commandLine(["top", "--url", url], {}, change);
  const screen = await screens.first((one) => one.includes("pollers: "));
  input.write("q");
  expect(await ran).toMatchObject({ exitCode: 0 });
  return screen;
}

it("is listed by top, which says that it is stale", async (context) => {
  const screen = await firstScreen(context, await stale(context));
  expect(screen).toMatch(/^pollers: 0 of \d up$/m);
  expect(screen).toMatch(/^bsc\/exchanges +stale/m);
});

it("is not called unread by top if its last poll, which failed, was before the start", async (context) => {
  const world = scriptedWorld({ rules: [rule()] });
  world.fails("exchanges").passes("1s");
  const screen = await firstScreen(context, await served(context, world));
  expect(screen).toMatch(/^bsc\/exchanges +failed +\S/m);
  expect(screen).toMatch(/^bsc\/pools +not read yet$/m);
});
