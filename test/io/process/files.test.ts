import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRuleFiles, readTextFile } from "../../../src/io/process/files.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-files-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("readRuleFiles", () => {
  it("reads the rule files by name, without their tests and without hidden files", () => {
    for (const name of ["b.yaml", "a.yml", "a.test.yaml", ".hidden.yaml", "notes.md"])
      writeFileSync(join(directory, name), name);
    expect(readRuleFiles(directory)).toEqual({
      ok: true,
      value: [
        { name: join(directory, "a.yml"), text: "a.yml" },
        { name: join(directory, "b.yaml"), text: "b.yaml" },
      ],
    });
  });

  it("says which file cannot be read", () => {
    mkdirSync(join(directory, "a.yaml"));
    const read = readRuleFiles(directory);
    expect(read).toEqual({
      ok: false,
      problem: `${join(directory, "a.yaml")}: is a directory`,
    });
    expect(readRuleFiles(join(directory, "nope"))).toEqual({
      ok: false,
      problem: "no such file or directory",
    });
  });
});

describe("readTextFile", () => {
  it("refuses a file that is far too large", () => {
    const path = join(directory, "large");
    writeFileSync(path, "x".repeat(5 * 1_048_576));
    expect(readTextFile(path)).toMatchObject({
      ok: false,
      problem: expect.stringContaining("larger") as string,
    });
  });
});
