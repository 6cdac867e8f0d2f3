/** Tests src/cli/operate/filters.ts, by the commands that have filters. */
import { describe, expect, it, type TestContext } from "vitest";
import { countFrom, leftOut } from "../../../src/cli/operate/filters.ts";
import type { StatusJson } from "../../../src/io/api/answers.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { factIs, repair, rule } from "../../core/fixtures.ts";
import { scriptedWorld } from "../../core/world.ts";
import { sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

/** A daemon with senders of which one has an alert, and an exchange that is repaired. */
async function daemon(context: TestContext) {
  const stuck = factIs("alias", "desk-a");
  const world = scriptedWorld({
    rules: [rule({ act: repair() }), rule({ alert: "SwapStuck", kind: "sender", when: stuck })],
    alsoPolled: ["swaps"],
  });
  const sender = (address: string, alias: string) => ({
    kind: "sender",
    id: address,
    facts: { address, alias },
  });
  const exchange = (id: string, status: string) => ({
    kind: "exchange",
    id,
    facts: { name: id, status },
  });
  world.sees("swaps", [sender("0xa", "desk-a"), sender("0xb", "twin"), sender("0xc", "twin")]);
  world.passes("20s");
  world.sees("exchanges", [
    exchange("A", "disabled"),
    ...["B", "C", "D", "E"].map((id) => exchange(id, "enabled")),
  ]);
  world.passes("20s");
  const server = await startServer(createApp(sourceOf(world)), "127.0.0.1", 0);
  context.onTestFinished(() => server.close());
  return async (...args: readonly string[]) => await commandLine([...args, "--url", server.url]);
}

const rowsOf = (printed: string): readonly string[] => printed.split("\n").slice(1);

describe("a list", () => {
  it("is of one entity, by its alias, its id or its whole key", async (context) => {
    const run = await daemon(context);
    for (const name of ["desk-a", "sender/desk-a", "sender/0xa", "bsc/sender/0xa"]) {
      const { printed } = await run("alerts", "--entity", name);
      expect(rowsOf(printed), name).toEqual([
        expect.stringMatching(/SwapStuck +bsc\/sender\/0xa \(desk-a\)/),
      ]);
    }
    const { printed } = await run("remediations", "--entity", "A");
    expect(rowsOf(printed)).toEqual([expect.stringMatching(/enable_exchange +bsc\/exchange\/A/)]);
    expect(await run("remediations", "--entity", "desk-a")).toMatchObject({
      exitCode: 0,
      printed: "no action of sender/0xa was sent",
    });
  });

  it("takes --rule for --alertname, as a rule is named so where something is held", async (context) => {
    const run = await daemon(context);
    for (const flag of ["--rule", "--alertname"])
      expect(rowsOf((await run("alerts", flag, "SwapStuck")).printed), flag).toHaveLength(1);
    expect((await run("remediations", "--rule", "SwapStuck")).printed).toBe(
      "no action of SwapStuck was sent",
    );
    expect((await run("alerts", "--help")).printed).not.toContain("--rule");
  });

  it("is of what has all words of a text", async (context) => {
    const run = await daemon(context);
    expect(rowsOf((await run("alerts", "--text", "swapstuck 0XA")).printed)).toHaveLength(1);
    expect(rowsOf((await run("remediations", "--text", "enable exchange/a")).printed)).toHaveLength(
      1,
    );
    expect((await run("remediations", "--text", "pair", "--state", "verified")).printed).toBe(
      "no action of pair, verified was sent",
    );
  });

  it("takes its entity as an argument, too", async (context) => {
    const run = await daemon(context);
    for (const list of ["alerts", "remediations", "timeline"])
      expect(await run(list, "desk-a"), list).toMatchObject({
        exitCode: 0,
        complained: "desk-a is sender/0xa",
      });
    expect(rowsOf((await run("alerts", "desk-a")).printed)).toHaveLength(1);
    expect(await run("alerts", "desk-a", "--entity", "desk-a")).toMatchObject({ exitCode: 0 });
    expect(await run("alerts", "desk-a", "--entity", "twin")).toMatchObject({
      exitCode: 2,
      complained: "desk-a and --entity twin name an entity each: give one",
    });
  });

  it("is not of a name that several have, or none", async (context) => {
    const run = await daemon(context);
    for (const list of ["alerts", "remediations", "timeline"]) {
      expect(await run(list, "--entity", "twin"), list).toMatchObject({
        exitCode: 1,
        complained: '"twin" could be any of these: sender/0xb, sender/0xc',
      });
      expect(await run(list, "--entity", "desk-x"), list).toMatchObject({
        exitCode: 1,
        complained: expect.stringMatching(/^nothing that is watched is called "desk-x"/),
      });
    }
  });

  it("of rules has no others with --json, either", async (context) => {
    const run = await daemon(context);
    const shown = async (...filters: readonly string[]) => {
      const { printed } = await run("rules", "--json", ...filters);
      const { aggregators, alerts } = JSON.parse(printed) as StatusJson;
      return {
        rules: aggregators.flatMap(({ coverage }) => coverage.map(({ alertname }) => alertname)),
        alerts: alerts.map(({ alertname }) => alertname),
      };
    };
    const both = ["ExchangeDisabled", "SwapStuck"];
    expect(await shown()).toEqual({ rules: both, alerts: expect.arrayContaining(both) });
    expect(await shown("--aggregator", "bsc", "--kind", "sender")).toEqual({
      rules: ["SwapStuck"],
      alerts: ["SwapStuck"],
    });
    const none = await run("rules", "--json", "--aggregator", "nope");
    expect(none).toMatchObject({ exitCode: 1, printed: "" });
  });

  it("says if nothing is known of its entity, and which one was probably meant", async (context) => {
    const run = await daemon(context);
    const unknown =
      'sender/desk-x is not known: it was never seen, or it is gone (did you mean "sender/desk-a"?)';
    for (const [list, nothing] of [
      ["alerts", "no alert of sender/desk-x is pending or firing"],
      ["remediations", "no action of sender/desk-x was sent"],
    ] as const)
      expect(await run(list, "--entity", "sender/desk-x")).toEqual({
        exitCode: 0,
        printed: `${nothing}\n${unknown}`,
        complained: "",
      });
    const timeline = await run("timeline", "--entity", "sender/desk-x");
    expect(timeline.printed.split("\n")[1]).toBe(unknown);
    expect((await run("alerts", "--entity", "bsc/sender/0xab")).printed).toContain(
      'bsc/sender/0xab is not known: it was never seen, or it is gone (did you mean "bsc/sender/0xa"?)',
    );
    expect((await run("alerts", "--entity", "exchange/B")).printed).toBe(
      "no alert of exchange/B is pending or firing",
    );
  });

  it("of entities says if none has a status of that name", async (context) => {
    const run = await daemon(context);
    expect(await run("entities", "--status", "disable")).toMatchObject({
      exitCode: 0,
      printed: 'no such entity: there is no status "disable" (did you mean "disabled"?)',
    });
    expect((await run("entities", "--status", "foo", "--kind", "exchange")).printed).toBe(
      'no such entity: there is no status "foo" (disabled, enabled)',
    );
    expect((await run("entities", "--status", "disabled", "--kind", "sender")).printed).toBe(
      "no such entity",
    );
  });

  it("is refused if a filter names what is not, and says what there is", async (context) => {
    const run = await daemon(context);
    for (const [args, says] of NAMING_NOTHING) {
      const { exitCode, printed, complained } = await run(...args);
      expect({ exitCode, printed }, args.join(" ")).toEqual({ exitCode: 1, printed: "" });
      expect(complained).toContain(says);
    }
  });
});

it("counts as many as an option says, by a whole number within its limits", () => {
  const read = countFrom(1, 10);
  expect(["1", "10", "007"].map(read)).toEqual(["1", "10", "007"]);
  for (const wrong of ["0", "11", "-1", "1.5", "1e1", "0x5", " 1", "", "5x", "99999999999999999"])
    expect(() => read(wrong), wrong).toThrow("It is a whole number from 1 to 10.");
});

it("says how many more there are than are shown, if there are", () => {
  expect(leftOut(3, 3)).toEqual([]);
  expect(leftOut(3, 5)).toEqual(["… and 2 more (--limit, or a filter)"]);
});

const NAMING_NOTHING = [
  [["alerts", "--kind", "exchnge"], 'no kind "exchnge" (did you mean "exchange"?)'],
  [["alerts", "--entity", "exchnge/A"], 'no kind "exchnge" (did you mean "exchange"?)'],
  [["alerts", "--alertname", "Nope"], 'no rule "Nope" (ExchangeDisabled, SwapStuck)'],
  [["alerts", "--aggregator", "nope"], 'no aggregator "nope" (bsc)'],
  [["remediations", "--alertname", "SwapStuk"], 'no rule "SwapStuk" (did you mean "SwapStuck"?)'],
  [["timeline", "--aggregator", "nope"], 'no aggregator "nope" (bsc)'],
  [["entities", "--kind", "exchanges"], 'no kind "exchanges" (did you mean "exchange"?)'],
  [["rules", "--aggregator", "nope"], 'no aggregator "nope" (bsc)'],
  [["rules", "--kind", "pair"], 'no rule judges the kind "pair"; rules judge exchange, sender'],
] as const;
