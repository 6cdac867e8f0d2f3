import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
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

  it("cannot be a pipe, which may never open, and of which nothing is left when it is read again", () => {
    const file = join(directory.path, "desks.json");
    execFileSync("mkfifo", [file]);
    const writer = spawn("sh", ["-c", 'echo "[]" > "$0"', file], { stdio: "ignore" });
    onTestFinished(() => void writer.kill("SIGKILL"));
    const source = fileSource([file], [], { now: () => 1_000 });
    source.read?.();
    expect(source.lists()).toMatchObject([{ name: file, problem: "is a pipe, not a file" }]);
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

  it("that is named keeps what it gave while it is missing; one that a pattern matched goes", () => {
    const [named, matched] = ["named.json", "desk-1.json"].map((name) =>
      join(directory.path, name),
    );
    if (named === undefined || matched === undefined) throw new Error("no names");
    const never = join(directory.path, "never.json");
    const content = JSON.stringify([{ targets: ["0x1"], labels: { kind: "sender" } }]);
    for (const file of [named, matched]) writeFileSync(file, content);
    const patterns = [named, never, join(directory.path, "desk-*.json")];
    const source = fileSource(patterns, [], { now: () => 1_000 });
    const entries = [{ kind: "sender", target: "0x1" }];
    const missing = (file: string): string => `${file}: there is no such file`;
    source.read?.();
    expect(source.lists()).toMatchObject([
      { name: matched, entries },
      { name: named, entries },
      { name: never, entries: undefined, problem: missing(never) },
    ]);
    for (const file of [named, matched]) rmSync(file);
    source.read?.();
    expect(source.lists()).toMatchObject([
      { name: named, entries, problem: missing(named) },
      { name: never },
    ]);
    writeFileSync(named, content);
    source.read?.();
    expect(source.lists()[0]).toEqual({
      source: "file",
      name: named,
      entries,
      successAt: 1_000,
      content: expect.any(String),
    });
  });

  it("that is missing at a start has what it gave before, and no other list's entries", () => {
    const [one, two] = ["b", "a"].map((name) => join(directory.path, `${name}.json`));
    if (one === undefined || two === undefined) throw new Error("no names");
    const desks = join(directory.path, "desk-*.json");
    const desk = join(directory.path, "desk-1.json");
    const of = (target: string) => [{ kind: "sender", target }];
    const kept = [
      { source: "file", name: one, entries: of("0x1") },
      { source: "file", name: two, entries: of("0x2") },
      { source: "file", name: desk, entries: of("0x3") },
      { source: "http", name: one, entries: of("0x4") },
      { source: "file", name: join(directory.path, "left.json"), entries: of("0x5") },
    ] as const;
    const source = fileSource([one, two, desks], kept, { now: () => 1_000 });
    const lists = [
      { source: "file", name: two, entries: of("0x2") },
      { source: "file", name: one, entries: of("0x1") },
      { source: "file", name: desk, entries: of("0x3") },
    ];
    expect(source.lists()).toEqual(lists);
    source.read?.();
    expect(source.lists()).toMatchObject(lists.slice(0, 2));
  });
});
