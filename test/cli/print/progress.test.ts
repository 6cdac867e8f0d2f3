/** Tests src/cli/print/progress.ts. */
import { describe, expect, it } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { createBar, createProgress } from "../../../src/cli/print/progress.ts";

function fixture(isTerminal: boolean) {
  const printed: string[] = [];
  const complained: string[] = [];
  const context = {
    isTerminal,
    print: (line: string) => void printed.push(line),
    complain: (line: string) => void complained.push(line),
  } as CliContext;
  const time = { now: 0 };
  return { printed, complained, context, time, now: () => time.now };
}

describe("progress", () => {
  it("is a line now and then on standard error, without a terminal", () => {
    const { printed, complained, context, time, now } = fixture(false);
    const bar = createBar(100, "runs", context, now);
    for (let done = 1; done <= 100; done += 1) {
      time.now += 400;
      bar.show(done);
    }
    bar.end();
    expect(printed).toEqual([]);
    expect(complained).toEqual([
      "[########......................] 25 of 100 runs, about 30s left",
      "[###############...............] 50 of 100 runs, about 20s left",
      "[#######################.......] 75 of 100 runs, about 10s left",
    ]);
  });

  it("says nothing of what is over soon, without a terminal", () => {
    const { complained, context, time, now } = fixture(false);
    const bar = createBar(2, "runs", context, now);
    time.now = 9_000;
    bar.show(2);
    expect(complained).toEqual([]);
  });

  it("is one line that is drawn over on a terminal, and goes", () => {
    const { printed, complained, context, time, now } = fixture(true);
    const bar = createBar(2, "runs", context, now);
    bar.show(1);
    bar.show(1); // too soon to be seen
    time.now = 200;
    bar.show(2);
    bar.end();
    expect(printed).toHaveLength(3);
    expect(printed[1]).toBe(`\u001B[1A\u001B[2K[${"#".repeat(30)}] 2 of 2 runs`);
    expect(complained).toEqual([]);
  });

  it("says at once what takes long by itself", () => {
    const { complained, context, now } = fixture(false);
    createProgress(context, now).say("checking every page", true);
    expect(complained).toEqual(["checking every page"]);
  });
});
