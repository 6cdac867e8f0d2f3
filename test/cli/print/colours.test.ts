/** Tests src/cli/print/colours.ts. */
import { describe, expect, it } from "vitest";
import { coloured, isColoured, takeColour } from "../../../src/cli/print/colours.ts";

const RED = "\u001B[31m";
const YELLOW = "\u001B[33m";
const END = "\u001B[39m";

describe("colours", () => {
  it("are on a terminal only, unless NO_COLOR is set, or they are asked for", () => {
    const asked = (when: "auto" | "always" | "never", isTerminal: boolean, env = {}) =>
      isColoured(when, { isTerminal, env });
    expect(asked("auto", true)).toBe(true);
    expect(asked("auto", false)).toBe(false);
    expect(asked("auto", true, { NO_COLOR: "1" })).toBe(false);
    expect(asked("auto", true, { NO_COLOR: "" })).toBe(true);
    expect(asked("auto", true, { TERM: "dumb" })).toBe(false);
    expect(asked("always", false, { NO_COLOR: "1" })).toBe(true);
    expect(asked("never", true)).toBe(false);
  });

  it.each([
    [["alerts", "--color", "never", "--all"], "never", ["alerts", "--all"]],
    [["--color=always", "alerts"], "always", ["alerts"]],
    [["alerts", "--no-color"], "never", ["alerts"]],
    [["alerts"], "auto", ["alerts"]],
    [["entities", "--", "--color"], "auto", ["entities", "--", "--color"]],
  ])("are asked for anywhere in a command line: %j", (args, when, rest) => {
    expect(takeColour(args)).toEqual({ ok: true, value: { when, rest } });
  });

  it("must be one of three words", () => {
    expect(takeColour(["--color", "red"])).toMatchObject({ ok: false });
    expect(takeColour(["alerts", "--color"])).toMatchObject({ ok: false });
  });

  it("are those of states in cells of their own, and of nothing else", () => {
    expect(coloured("firing   critical  PoolDrained  the critical pool")).toBe(
      `${RED}firing${END}   ${RED}critical${END}  PoolDrained  the critical pool`,
    );
    expect(coloured("alerts: 2 firing, 1 pending")).toBe(
      `alerts: 2 ${RED}firing${END}, 1 ${YELLOW}pending${END}`,
    );
    expect(coloured("pending (unknown)  x")).toContain(`${YELLOW}pending${END} (unknown)`);
    expect(coloured("STATE  SEVERITY  ALERT")).toBe("\u001B[2mSTATE  SEVERITY  ALERT\u001B[22m");
    expect(coloured("nothing to see")).toBe("nothing to see");
  });
});
