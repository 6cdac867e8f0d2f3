import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isWorldWritable, readRuleFiles, readTextFile } from "../../../src/io/process/files.ts";

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

describe("isWorldWritable", () => {
  const withMode = (mode: number): string => {
    const path = join(directory, "secret");
    writeFileSync(path, "a-secret");
    chmodSync(path, mode);
    return path;
  };

  it.each([0o400, 0o444, 0o600, 0o644, 0o660, 0o664, 0o440])("is not the mode %o", (mode) => {
    expect(isWorldWritable(withMode(mode))).toBe(false);
  });

  it.each([0o606, 0o666, 0o777])("is the mode %o", (mode) => {
    expect(isWorldWritable(withMode(mode))).toBe(true);
  });

  it("is a matter of the file, not of a link to it, as a mounted Secret has links", () => {
    const link = join(directory, "link");
    symlinkSync(withMode(0o644), link);
    expect(isWorldWritable(link)).toBe(false);
  });

  it("is nothing that is not there", () => {
    expect(isWorldWritable(join(directory, "nope"))).toBe(false);
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
