import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { killFileExists } from "../../../src/io/process/kill-file.ts";

describe("the kill file", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "aggwatch-kill-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("is there or not, whatever is in it", () => {
    const path = join(directory, "KILL");
    expect(killFileExists(path)).toBe(false);
    writeFileSync(path, "");
    expect(killFileExists(path)).toBe(true);
  });

  it("counts as there if its directory cannot be looked into", () => {
    const loop = join(directory, "loop");
    symlinkSync(loop, loop);
    expect(killFileExists(join(loop, "KILL"))).toBe(true);
    writeFileSync(join(directory, "file"), "");
    expect(killFileExists(join(directory, "file", "KILL"))).toBe(true);
  });
});
