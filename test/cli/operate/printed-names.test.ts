/** Tests src/cli/operate/target.ts, by names as commands print them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { ALICES_GATE, eventfulWorld, sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

/** A Cyrillic letter, and an accent that is a character of its own. */
const NAME = "BINАNCE\u0301";

it("takes a name with letters that look like others as alerts print it", async () => {
  const world = eventfulWorld();
  const source = sourceOf(world, {
    gate: ALICES_GATE,
  });
  const server = await startServer(createApp(source), "127.0.0.1", 0);
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-printed-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const token = join(folder, "token");
  writeFileSync(token, "secret\n");
  const run = (...args: readonly string[]) =>
    commandLine([...args, "--url", server.url], { AGGWATCH_TOKEN_FILE: token });
  world.sees("exchanges", [
    { kind: "exchange", id: NAME, facts: { name: NAME, status: "disabled" } },
  ]);

  const [printed = ""] = /bsc\/exchange\/BIN\S+/.exec((await run("alerts")).printed) ?? [];
  expect(printed).toBe(String.raw`bsc/exchange/BIN\u{410}NCE\u{301}`);
  const id = printed.replace("bsc/", "");
  const end = ["--for", "1h", "--reason", "maintenance"];
  for (const what of ["hold", "silence"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const entity of [printed, id])
      expect((await run(what, entity, ...end)).printed).toContain("covers 1 entity now");
  }
  expect([...world.state.tables.hold.values()].at(-1)?.scope).toMatchObject({ id: NAME });
  expect((await run("alerts", "--entity", printed)).printed).toContain(printed);
  const explained = await run("explain", "ExchangeDisabled", printed);
  expect(explained.complained).not.toContain("nothing that is watched");
});
