import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
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

  it("refuses a pipe, which may never open, and of which nothing is left when it is read again", () => {
    const path = join(directory, "a.yaml");
    execFileSync("mkfifo", [path]);
    const writer = spawn("sh", ["-c", 'echo "{}" > "$0"', path], { stdio: "ignore" });
    onTestFinished(() => void writer.kill("SIGKILL"));
    expect(readRuleFiles(directory)).toEqual({
      ok: false,
      problem: `${path}: is a pipe, not a file`,
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

  const written = (content: Buffer | string): string => {
    const path = join(directory, "text");
    writeFileSync(path, content);
    return path;
  };

  /** Holds what a shell command writes, as `<(…)` does. */
  const pipeOf = (command: string): string => {
    const path = join(directory, "pipe");
    execFileSync("mkfifo", [path]);
    spawn("sh", ["-c", `(${command}) > "$0"`, path], { stdio: "ignore" });
    return path;
  };

  it("refuses a pipe or a device once it has given too much, as it may never end", () => {
    const path = pipeOf("head -c 6291456 /dev/zero");
    expect(readTextFile(path)).toEqual({
      ok: false,
      problem: `larger than ${4 * 1_048_576} bytes`,
    });
  });

  it("reads a pipe to its end, in whatever pieces it comes", () => {
    const path = pipeOf("printf 'a: M\\303'; printf '\\274ller'; yes | head -c 200000");
    const value = `a: Müller${"y\n".repeat(100_000)}`;
    expect(readTextFile(path)).toEqual({ ok: true, value });
  });

  it("reads a file that is as large as it may be", () => {
    const path = written("12345678");
    expect(readTextFile(path, 8)).toEqual({ ok: true, value: "12345678" });
    expect(readTextFile(path, 7)).toEqual({ ok: false, problem: "larger than 7 bytes" });
  });

  it.each([
    ["name: M\xfcller", "1:8"],
    // Bytes with which UTF-8 would begin a character of several.
    ["a: b\nname: J\xe4ger", "2:8"],
    ["na\xefve", "1:3"],
    ["name: caf\xe9", "1:10"],
  ])("says where a file of Latin-1 is not UTF-8: %j", (text, place) => {
    const path = written(Buffer.from(text, "latin1"));
    const problem = `${path}:${place} is not UTF-8; save it as UTF-8`;
    expect(readTextFile(path)).toEqual({ ok: false, problem });
  });

  it("counts what is UTF-8 before it by characters, even the one that stands for wrong bytes", () => {
    const known = "# Müller\n\uFFFD ä\uFFFD: ";
    const path = written(Buffer.concat([Buffer.from(known), Buffer.from([0xff])]));
    const problem = `${path}:2:7 is not UTF-8; save it as UTF-8`;
    expect(readTextFile(path)).toEqual({ ok: false, problem });
  });

  it("reads all that is UTF-8 as it is", () => {
    for (const text of ["", "Müller", "\uFEFFa: 1\r\n", "\uFFFD", "😀\0"])
      expect(readTextFile(written(text))).toEqual({ ok: true, value: text });
  });

  it.each(["utf16le", "utf16be"])("says that a file is %s, as PowerShell writes it", (order) => {
    const bytes = Buffer.from("\uFEFFname: Müller", "utf16le");
    const problem = "the file is UTF-16; save it as UTF-8";
    const path = written(order === "utf16be" ? bytes.swap16() : bytes);
    expect(readTextFile(path)).toEqual({ ok: false, problem });
  });
});
