import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { findTool } from "./tools.ts";

const run = promisify(execFile);
const unit = join(import.meta.dirname, "../../deploy/systemd/aggwatch.service");
const analyze = findTool(["systemd-analyze"], "the unit for systemd");

describe.skipIf(analyze === undefined)("the unit for systemd", () => {
  const asked = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await run(analyze ?? "", args);
    return stdout + stderr;
  };

  it("is a unit, of which systemd understands every line", async () => {
    expect(await asked("verify", unit)).toBe("");
  });

  it("exposes the host to as little as a program that compiles at run time can", async () => {
    // The threshold is of systemd's own figure, times ten; beyond it the exit code is not 0.
    const report = await asked("security", "--offline=true", "--threshold=20", unit);
    expect(report).toContain("Overall exposure level for aggwatch.service: ");
  });
});
