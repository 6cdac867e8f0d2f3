import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findFiles, isOfPattern } from "../../../src/io/watch-list/file-patterns.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

describe("the files of a pattern", () => {
  it("are those whose name matches, without hidden ones, by name", () => {
    for (const name of ["b.yaml", "a.yaml", "a.json", ".c.yaml", "ab.yaml"])
      writeFileSync(join(directory.path, name), "");
    mkdirSync(join(directory.path, "sub"));
    const names = (pattern: string) => {
      const found = findFiles(join(directory.path, pattern));
      return found.ok ? found.value.map((path) => path.slice(directory.path.length + 1)) : [];
    };
    expect(names("*.yaml")).toEqual(["a.yaml", "ab.yaml", "b.yaml"]);
    expect(names("?.yaml")).toEqual(["a.yaml", "b.yaml"]);
    expect(names("a.json")).toEqual(["a.json"]);
    expect(names("none*.yaml")).toEqual([]);
  });

  it("cannot be told if the directory cannot be read, which is not the same as none", () => {
    const found = findFiles(join(directory.path, "gone", "*.yaml"));
    expect(found).toMatchObject({ ok: false, problem: expect.stringContaining("gone") });
  });

  it("are matched in no time, whatever the pattern", () => {
    const hard = `${"*a".repeat(40)}b.yaml`;
    expect(isOfPattern(`/w/${hard}`, `/w/${"a".repeat(200)}.yaml`)).toBe(false);
    expect(isOfPattern("/w/*.yaml", "/v/a.yaml")).toBe(false);
    expect(isOfPattern("/w/*b*.yaml", "/w/abc.yaml")).toBe(true);
  });
});
