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
async function daemon() {
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
  const run = async (...args: readonly string[]): Promise<Ran> =>
    await commandLine(["explain", ...args, "--url", url]);
  return { run, url };
}

it("explains an entity under every rule that judges it, if none is named", async () => {
  const { run } = await daemon();
  const { printed, exitCode } = await run("BINANCE");
  expect(exitCode).toBe(0);
  const parts = printed.split("\n\n");
  expect(parts.map((part) => part.split(":")[0])).toEqual([
    "ExchangeDisabled on bsc/exchange/BINANCE",
    "ExchangeMissing on bsc/exchange/BINANCE",
  ]);
  expect(parts[0]).toBe((await run("ExchangeDisabled", "BINANCE")).printed);
});

it("gives the same as JSON: what the API replies of one rule, and of all a list", async () => {
  const { run, url } = await daemon();
  const one: unknown = JSON.parse((await run("ExchangeDisabled", "BINANCE", "--json")).printed);
  const api = `${url}/api/v1/explain?rule=ExchangeDisabled&entity=exchange/BINANCE`;
  expect(one).toEqual(await (await fetch(api)).json());
  const all: unknown = JSON.parse((await run("BINANCE", "--json")).printed);
  expect(all).toEqual([one, expect.objectContaining({ rule: "ExchangeMissing" })]);
});

it("says which entity was probably meant, once, if there is none of that name", async () => {
  const { run } = await daemon();
  for (const line of [["exchange/BINANC"], ["ExchangeDisabled", "exchange/BINANC"]]) {
    const { complained, exitCode } = await run(...line);
    expect(exitCode).toBe(1);
    expect(complained.split("\n")[0]).toBe("refused (404): no bsc/exchange/BINANC");
    expect(complained.match(/did you mean .*/g)).toEqual(['did you mean "exchange/BINANCE"?']);
  }
  const known = await run("SwapStuck", "exchange/BINANCE");
  expect(known.exitCode).toBe(1);
  expect(known.complained).not.toContain("did you mean");
});

it.each([
  [[], 2, "missing: ENTITY (aggwatch explain --help)"],
  [
    ["ExchangeDisabled"],
    1,
    'nothing that is watched is called "ExchangeDisabled"; kind/id names what is gone; a rule needs an entity behind it',
  ],
  [["repair/exchange/OKX"], 1, 'no rule judges the kind "repair"'],
  [["exchange/OKX"], 1, "refused (404): no bsc/exchange/OKX"],
] as const)("says why it cannot explain %j", async (args, exitCode, complained) => {
  const { run } = await daemon();
  const ran = await run(...args);
  expect(ran).toMatchObject({ exitCode, printed: "" });
  // If the daemon refuses something, its other version is mentioned, too.
  expect(ran.complained.split("\n")[0]).toBe(complained);
});
