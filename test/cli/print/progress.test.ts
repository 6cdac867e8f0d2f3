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
      time.now += 410;
      bar.show(done);
    }
    bar.end();
    expect(printed).toEqual([]);
    expect(complained).toEqual([
      "[########......................] 25 of 100 runs, about 31s left",
      "[###############...............] 50 of 100 runs, about 21s left",
      "[#######################.......] 75 of 100 runs, about 11s left",
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
    const bar = createBar(4, "runs", context, now);
    bar.show(0);
    time.now = 99;
    bar.show(1); // too soon to be seen
    time.now = 100;
    bar.show(2);
    bar.show(4); // the last is always seen
    bar.end();
    const over = "\u001B[1A\u001B[2K";
    expect(printed).toEqual([
      `[${".".repeat(30)}] 0 of 4 runs`,
      `${over}[${"#".repeat(15)}${".".repeat(15)}] 2 of 4 runs`,
      `${over}[${"#".repeat(30)}] 4 of 4 runs`,
      `${over}\u001B[1A`,
    ]);
    expect(complained).toEqual([]);
  });

  it("removes no line of a terminal that it has not drawn", () => {
    const { printed, context, now } = fixture(true);
    createBar(2, "runs", context, now).end();
    expect(printed).toEqual([]);
  });

  it("is never wider than the terminal, as a second line could not be drawn over", () => {
    const { printed, context, now } = fixture(true);
    createProgress({ ...context, width: 12 }, now).say("checking every page", true);
    expect(printed).toEqual(["checking eve"]);
  });

  it("says at once what takes long by itself", () => {
    const { complained, context, now } = fixture(false);
    createProgress(context, now).say("checking every page", true);
    expect(complained).toEqual(["checking every page"]);
  });
});
