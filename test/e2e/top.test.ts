import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, type TestContext } from "vitest";
import { startAggregator } from "../acceptance/aggregator.ts";
import { MAIN, makeHome, startDaemon } from "../acceptance/daemon.ts";
import { createEvents } from "../acceptance/events.ts";
import { withPeople } from "../acceptance/people.ts";
import { ACT_KEY, quickConfig, QUICK_RULES } from "../acceptance/quick.ts";
import { childEnvironment } from "../child-environment.ts";
import { findTool } from "./tools.ts";

/** That of util-linux: others have other options. */
const script =
  process.platform === "linux" ? findTool(["script"], "`aggwatch top` on a terminal") : undefined;

/** `aggwatch top` in a process of its own, on a terminal of the system. */
function startTop(context: TestContext, env: Readonly<Record<string, string>>) {
  const command = 'stty rows 24 cols 80 && exec "$NODE" "$MAIN" top';
  const program = spawn(script ?? "", ["-qfec", command, "/dev/null"], {
    env: { ...childEnvironment(), ...env, NODE: process.execPath, MAIN, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  context.onTestFinished(() => void program.kill("SIGKILL"));
  const screens = createEvents<string>(context, "screen");
  const ended = once(program, "close");
  // What was written since the last key.
  let written = "";
  program.stdout.on("data", (chunk: Buffer) => screens.add((written += chunk.toString())));
  const shows = async (text: string): Promise<string> =>
    await screens.first(() => written.includes(text), { what: text, atMostMs: 45_000 });
  const type = async (keys: string, text: string): Promise<string> => {
    written = "";
    program.stdin.write(keys);
    await screens.next(() => written.includes(text), { what: text });
    return written;
  };
  return { shows, type, ended };
}

describe.skipIf(script === undefined)("aggwatch top, on a terminal", () => {
  it("says its keys, holds, approves what it showed, and leaves the terminal as it was", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "propose" });
    const home = makeHome(context, config, QUICK_RULES);
    const tokenFile = withPeople(home, config);
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(({ msg }) => msg === "proposed");
    const env = { AGGWATCH_URL: daemon.url, AGGWATCH_TOKEN_FILE: tokenFile("alice") };
    const { shows, type, ended } = startTop(context, env);

    expect(await shows("? help")).toContain("\u001B[?1049h");
    await shows("> proposal");
    expect(await type("?", "any key goes back")).toContain("holds the entity that is chosen");
    await type("x", "> proposal");
    await type("\u001B[B", "> firing");
    await type("h", "hold exchange/BINANCE of sim for");
    await type("10m\r", "why: ");
    await type("its maintenance\r", "done: h1: exchange BINANCE of sim until");
    expect((await daemon.status()).holds).toMatchObject([
      { owner: "alice", reason: "its maintenance" },
    ]);
    await type("k", "> proposal");
    expect(await type("a", "approve this; why?")).toContain("request: enableExchange");
    await type("it is fine\r", "yes/no: ");
    await type("yes\r", "done: approved enable_exchange");
    expect((await daemon.status()).proposals).toMatchObject([
      { state: "approved", approvals: [{ by: "alice", reason: "it is fine" }] },
    ]);
    await type("q", "\u001B[?1049l");
    expect(await ended).toEqual([0, null]);
  });
});
