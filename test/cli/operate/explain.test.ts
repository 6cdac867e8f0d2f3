/** Tests src/cli/operate/explain.ts. */
import { expect, it, onTestFinished } from "vitest";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import { entityKey } from "../../../src/domain/entity.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { exchange, factIs, rule } from "../../core/fixtures.ts";
import { scriptedWorld } from "../../core/world.ts";
import { sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine, type Ran } from "../command-line.ts";

/** A daemon that watches one exchange, which two rules judge and a third does not. */
async function daemon(): Promise<(...args: readonly string[]) => Promise<Ran>> {
  const world = scriptedWorld({
    rules: [
      rule({ alert: "ExchangeDisabled", forMs: 0 }),
      rule({ alert: "ExchangeMissing", when: factIs("status", "missing") }),
      rule({ alert: "SwapStuck", kind: "swap" }),
    ],
  });
  world.sees("exchanges", [exchange("BINANCE", "disabled")]);
  const source = sourceOf(world, {
    explain: (alert, id) => {
      const { policy, state } = world;
      const explanation = explain(policy, state, alert, id, world.now);
      if (explanation === undefined) return { ok: false, problem: `no ${entityKey(id)}` };
      const sentences = explanationSentences(policy.kinds, explanation);
      return { ok: true, value: { explanation, sentences } };
    },
  });
  const { url, close } = await startServer(createApp(source), "127.0.0.1", 0);
  onTestFinished(close);
  return async (...args) => await commandLine(["explain", ...args, "--url", url]);
}

it("explains an entity under every rule that judges it, if none is named", async () => {
  const run = await daemon();
  const { printed, exitCode } = await run("BINANCE");
  expect(exitCode).toBe(0);
  const parts = printed.split("\n\n");
  expect(parts.map((part) => part.split(":")[0])).toEqual([
    "ExchangeDisabled on bsc/exchange/BINANCE",
    "ExchangeMissing on bsc/exchange/BINANCE",
  ]);
  expect(parts[0]).toBe((await run("ExchangeDisabled", "BINANCE")).printed);
});

it.each([
  [[], 2, "missing: ENTITY (aggwatch explain --help)"],
  [["BINANCE", "--json"], 2, "--json explains one rule of an entity: name both"],
  [
    ["ExchangeDisabled"],
    1,
    'nothing that is watched is called "ExchangeDisabled"; kind/id names what is gone; a rule needs an entity behind it',
  ],
  [["repair/exchange/OKX"], 1, 'no rule judges the kind "repair"'],
  [["exchange/OKX"], 1, "refused (404): no bsc/exchange/OKX"],
] as const)("says why it cannot explain %j", async (args, exitCode, complained) => {
  const run = await daemon();
  const ran = await run(...args);
  expect(ran).toMatchObject({ exitCode, printed: "" });
  // If the daemon refuses something, its other version is mentioned, too.
  expect(ran.complained.split("\n")[0]).toBe(complained);
});
