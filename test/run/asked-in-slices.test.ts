/** Tests src/run/inbox.ts: an operator's command while long events are handled in slices. */
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/step.ts";
import { HOUR } from "../../src/domain/time.ts";
import { createMaintenance } from "../../src/run/maintenance.ts";
import { checkKillFile } from "../../src/run/service/check-kill-file.ts";
import { exchange, policyOf, rule } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { actingPolicy, loopTest, slicedTest, START, type LoopTest } from "./loop-world.ts";

const listing = (names: number, prefix: string) => {
  const listed = Array.from({ length: names }, (_, index) =>
    exchange(`${prefix}${index}`, "enabled"),
  );
  return observed("exchanges", [partOf("all", START, listed)]);
};
const disabled = () =>
  observed("exchanges", [partOf("all", START, [exchange("BINANCE", "disabled")])]);
const OPEN = {
  name: "now",
  schedule: "0 0 * * *",
  timeZone: "UTC",
  durationMs: HOUR,
  scope: { kind: "pair" },
  reason: "the weekly deployment",
};
const command = (name: "kill" | "unkill"): Event => ({
  type: "command",
  by: "ann",
  reason: "",
  command: { name, source: "operator" },
});

/** What was published, in order. */
const published = ({ log }: Pick<LoopTest, "log">): readonly string[] =>
  log.filter((entry) => entry !== "commit");

/** The kill switches after some ticks, if a long event is handled, and this right behind it. */
async function killsAfter(
  test: LoopTest,
  event: Event,
  then: () => Promise<unknown>,
): Promise<readonly string[]> {
  const { loop } = test;
  loop.push(event);
  expect(loop.isBusy()).toBe(true);
  // As every call of the API does.
  await loop.idle();
  await then();
  await loop.caughtUp();
  for (let ticks = 0; ticks < 3; ticks += 1) {
    test.now += 1_000;
    loop.push({ type: "tick" });
    await loop.caughtUp();
  }
  return [...loop.state().tables.kill.keys()];
}

describe("a command that is asked in slices", () => {
  it("goes before all that waits, and ends no event at once", async () => {
    const test = slicedTest();
    await test.loop.caughtUp();
    test.log.length = 0;
    test.loop.push(listing(100, "A"));
    test.loop.push(listing(100, "B"));
    const answer = test.loop.askInSlices(command("kill"));
    expect(test.loop.isBusy()).toBe(true);
    expect(test.loop.stateSoFar().tables.kill.size).toBe(0);
    expect((await answer)?.result.findings).toMatchObject([
      { type: "kill", on: true },
      { type: "command", accepted: true },
    ]);
    await test.loop.caughtUp();
    expect(published(test)).toEqual(["publish observed", "publish command", "publish observed"]);
  });

  it("is answered after a gap too, which is handled before it", async () => {
    const gaps = {
      look: () => (looks++ === 1 ? 60_000 : undefined),
      peek: () => undefined,
      noteRunning: () => undefined,
    };
    let looks = 0;
    const { loop, log } = loopTest(actingPolicy(), { gaps });
    loop.push({ type: "started" });
    const answer = await loop.askInSlices(command("kill"));
    expect(answer?.kept).toBe("durable");
    expect(published({ log })).toEqual(["publish started", "publish resumed", "publish command"]);
  });

  it("has no answer if a bug came between, or if the loop has another owner", async () => {
    const test = slicedTest();
    await test.loop.caughtUp();
    test.loop.push(listing(100, "A"));
    const dropped = test.loop.askInSlices(command("kill"));
    test.loop.abandon();
    expect(await dropped).toBeUndefined();
    expect(await test.loop.askInSlices(command("unkill"))).toBeUndefined();
    const broken = loopTest(actingPolicy());
    broken.loop.push({ type: "started" });
    const wrong = { ...command("kill"), command: undefined } as unknown as Event;
    expect(await broken.loop.askInSlices(wrong)).toBeUndefined();
    expect(broken.bugs).toHaveLength(1);
    expect(await broken.loop.askInSlices(command("unkill"))).toBeDefined();
  });

  it("goes behind what a failed commit says, so that the journal's own kill switch ends with it", async () => {
    for (const ask of ["command", "kill file"] as const) {
      const test = slicedTest();
      await test.loop.caughtUp();
      test.diskProblem = "disk full";
      const kills = await killsAfter(test, listing(100, "A"), async () => {
        test.diskProblem = undefined;
        if (ask === "command") await test.loop.askInSlices(command("unkill"));
        else checkKillFile("KILL", () => true, test.loop);
      });
      expect({ kills, writable: test.loop.journalWritable() }, ask).toEqual({
        kills: ask === "command" ? [] : ["file"],
        writable: true,
      });
    }
  });

  it("is followed by that switch if its own commit fails, right after the journal could be written again", async () => {
    const test = slicedTest();
    test.diskProblem = "disk full";
    await test.loop.caughtUp();
    test.loop.push(listing(100, "A"));
    test.diskProblem = undefined;
    const kills = await killsAfter(test, listing(100, "B"), async () => {
      test.diskProblem = "disk full again";
      await test.loop.askInSlices(command("unkill"));
    });
    expect({ kills, writable: test.loop.journalWritable() }).toEqual({
      kills: ["journal"],
      writable: false,
    });
  });

  it("goes behind the start after a bug, and the switch that it throws", async () => {
    const test = slicedTest();
    await test.loop.caughtUp();
    const listed = Array.from({ length: 100 }, (_, index) => exchange(`A${index}`, "enabled"));
    const unknown = { kind: "undeclared", id: "x", facts: {} };
    const broken = observed("exchanges", [partOf("all", START, [...listed, unknown])]);
    let detail = "";
    const kills = await killsAfter(test, broken, async () => {
      const answer = await test.loop.askInSlices(command("unkill"));
      for (const finding of answer?.result.findings ?? [])
        if (finding.type === "command") ({ detail } = finding);
    });
    expect(kills).toEqual(["bug"]);
    expect(detail).toContain("the kill switch is on (bug)");
  });
});

describe("a reload", () => {
  it("goes before all that waits, and behind the hold of a maintenance window that it adds", async () => {
    const test = slicedTest();
    await test.loop.caughtUp();
    test.log.length = 0;
    for (const prefix of ["A", "B", "C"]) test.loop.push(listing(100, prefix));
    const { prepare } = createMaintenance(() => [], {
      clock: { now: () => test.now },
      loop: test.loop,
    });
    prepare([OPEN]);
    expect(test.loop.reload(actingPolicy(), [])).toBeDefined();
    await test.loop.caughtUp();
    expect(published(test)).toEqual([
      "publish observed",
      "publish command",
      "publish policy_changed",
      "publish observed",
      "publish observed",
    ]);
  });

  it.each([
    ["is somewhere else now", actingPolicy(), ["bsc"]],
    ["is not watched any more", { ...actingPolicy(), aggregators: [] }, []],
  ])("goes behind all that was read before, if an aggregator %s", async (_what, next, moved) => {
    const test = slicedTest();
    await test.loop.caughtUp();
    test.log.length = 0;
    for (const prefix of ["A", "B"]) test.loop.push(listing(100, prefix));
    expect(test.loop.reload(next, moved)).toBeDefined();
    expect(published(test)).toEqual([
      "publish observed",
      "publish observed",
      "publish policy_changed",
    ]);
  });

  it.each(["reload", "rewatch"] as const)(
    "drops a poll that waited, if a %s ended its poller: nothing would end what it lists",
    async (how) => {
      const policy = policyOf([rule()]);
      const [bsc] = policy.aggregators;
      if (bsc === undefined) throw new Error("nothing is watched");
      const pollers = bsc.pollers.filter(({ name }) => name !== "exchanges");
      const test = slicedTest(policy);
      await test.loop.caughtUp();
      test.loop.push(listing(100, "A"));
      test.loop.push(disabled());
      test.loop.push(disabled());
      test.loop[how]({ ...policy, aggregators: [{ ...bsc, pollers }] }, []);
      await test.loop.caughtUp();
      const { alert, entity } = test.loop.state().tables;
      expect([...alert.values()].map(({ state }) => state)).toEqual([]);
      expect([...entity.values()].filter(({ kind }) => kind === "exchange")).toEqual([]);
    },
  );
});
