import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileSource } from "../../../src/run/watch-list/file-source.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

describe("a file of a watch list", () => {
  it("that was out of reach for a while is in order again, although its content is the same", () => {
    const lists = join(directory.path, "lists");
    const file = join(lists, "desks.json");
    mkdirSync(lists);
    writeFileSync(file, JSON.stringify([{ targets: ["0x1"], labels: { kind: "sender" } }]));
    const source = fileSource([file], [], { now: () => 1_000 });
    const entries = [{ kind: "sender", target: "0x1" }];
    source.read?.();
    expect(source.lists()).toMatchObject([
      { source: "file", name: file, entries, successAt: 1_000 },
    ]);
    renameSync(lists, `${lists}-away`);
    source.read?.();
    expect(source.lists()).toMatchObject([
      { entries, problem: expect.stringContaining("cannot be read") },
    ]);
    renameSync(`${lists}-away`, lists);
    source.read?.();
    expect(source.lists()).toMatchObject([{ entries }]);
    expect(source.lists()[0]).not.toHaveProperty("problem");
  });

  it("that a pattern matched stays in force, and has the problem, if their directory cannot be read", () => {
    const lists = join(directory.path, "lists");
    const pattern = join(lists, "*.json");
    const source = fileSource([pattern], [], { now: () => 1_000 });
    source.read?.();
    const unreadable = expect.stringContaining("cannot be read");
    expect(source.lists()).toEqual([
      { source: "file", name: pattern, entries: undefined, problem: unreadable },
    ]);
    mkdirSync(lists);
    const files = ["one", "two"].map((name) => join(lists, `${name}.json`));
    for (const file of files)
      writeFileSync(file, JSON.stringify([{ targets: ["0x1"], labels: { kind: "sender" } }]));
    source.read?.();
    const read = files.map((name) => ({
      source: "file",
      name,
      entries: [{ kind: "sender", target: "0x1" }],
      successAt: 1_000,
      content: expect.any(String),
    }));
    expect(source.lists()).toEqual(read);
    renameSync(lists, `${lists}-away`);
    source.read?.();
    expect(source.lists()).toEqual(
      read.map((list) => ({ ...list, content: undefined, problem: unreadable })),
    );
    renameSync(`${lists}-away`, lists);
    source.read?.();
    expect(source.lists()).toEqual(read);
  });
});
