import { toEnd } from "../../../src/domain/slices.ts";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { closeToOthers } from "../../../src/io/journal/permissions.ts";
import { makeRoom } from "../../../src/io/journal/copy-room.ts";
import { salvageJournal } from "../../../src/io/journal/salvage/salvage.ts";
import { NOBODY } from "../postgres/cluster.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { runScript, sourceUrl } from "./child-script.ts";

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(() => {
  directory.remove();
});

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe("what is made in a data directory", () => {
  it("is its owner's alone, backups and repaired journals too; its parents are as usual", () => {
    const data = join(directory.path, "parent", "data");
    const opened = openJournal(data);
    if (!opened.ok) throw new Error(opened.problem);
    opened.value.commit({
      at: 1,
      changes: [{ table: "counter", key: "at", value: 1 }],
      findings: [],
    });
    const backup = opened.value.backUp(1);
    opened.value.close();
    const saved = toEnd(salvageJournal(data, 1));
    if (!backup.ok || !saved.ok) throw new Error(JSON.stringify([backup, saved]));
    expect(modeOf(data)).toBe(0o700);
    expect(modeOf(join(data, "backups"))).toBe(0o700);
    for (const file of [join(data, "journal.sqlite"), backup.value.file, saved.value.file])
      expect(modeOf(file), file).toBe(0o600);
    expect(modeOf(join(directory.path, "parent")) & 0o055).toBe(0o055 & ~process.umask());
    expect(closeToOthers(data)).toEqual([]);
  });
});

it("a copy deletes what a killed copy of another user left", async () => {
  const file = join(directory.path, "journal.sqlite");
  writeFileSync(`${file}.unfinished`, "a part", { mode: 0 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory.path, NOBODY, NOBODY);
  const script = `
    import { copyToFile } from ${JSON.stringify(sourceUrl("io/postgres/copy-to-file.ts"))};
    if (${isRoot}) process.setuid(${NOBODY});
    const transaction = async () => ({ ok: true, value: { rows: 0 } });
    console.log(JSON.stringify(await copyToFile({ transaction }, process.argv[1])));
  `;
  const child = runScript(script, [file]);
  expect(await child.nextLine(), child.errors()).toContain('"ok":true');
  expect(readdirSync(directory.path)).toEqual(["journal.sqlite"]);
});

it("a copy of a database for which the file has no room names the file", async () => {
  const file = join(directory.path, "journal.sqlite");
  const script = `
    import { copyToFile } from ${JSON.stringify(sourceUrl("io/postgres/copy-to-file.ts"))};
    const found = [{ seq: 1, at: 1, type: "kill", body: "x".repeat(10_000_000) }];
    const ask = async (sql, [after] = []) => (/FROM finding/.test(sql) && Number(after) < 1 ? found : []);
    const transaction = async (work) => {
      try {
        return { ok: true, value: await work(ask) };
      } catch ({ message: detail }) {
        return { ok: false, problem: { kind: "refused", detail } };
      }
    };
    console.log(JSON.stringify(await copyToFile({ transaction }, process.argv[1])));
  `;
  const child = runScript(script, [file], { largestFileBlocks: 4_096 });
  const said: unknown = JSON.parse((await child.nextLine()) ?? child.errors());
  expect(said).toEqual({
    ok: false,
    problem: expect.stringMatching(/journal\.sqlite cannot be written: .*(full|I\/O)/) as unknown,
  });
});

describe("closing a data directory to others", () => {
  it("takes the copy of a check, or what a killed one left, for aggwatch's own", () => {
    const made = makeRoom(
      [directory.path],
      () => 0,
      () => undefined,
    );
    chmodSync(directory.path, 0o755);
    expect(made.ok).toBe(true);
    expect(closeToOthers(directory.path)).toEqual([{ path: directory.path, mode: "0755" }]);
  });

  it("leaves what is not aggwatch's as it is, and the bits beyond the permissions", () => {
    chmodSync(directory.path, 0o2775);
    const foreign = join(directory.path, "KILL");
    writeFileSync(foreign, "");
    chmodSync(foreign, 0o644);
    expect(closeToOthers(directory.path)).toEqual([{ path: directory.path, mode: "2775" }]);
    expect(modeOf(directory.path)).toBe(0o2700);
    expect(modeOf(foreign)).toBe(0o644);
  });

  it("leaves a directory open that holds what is not aggwatch's, as /tmp, and closes its own files in it", () => {
    chmodSync(directory.path, 0o1777);
    for (const name of ["journal.sqlite", "letter", "a", "b", "c"]) {
      writeFileSync(join(directory.path, name), "");
      chmodSync(join(directory.path, name), 0o644);
    }
    const problem =
      "it holds what is not aggwatch's (a, b, c, …): give aggwatch a directory of its own";
    expect(closeToOthers(directory.path)).toEqual([
      { path: directory.path, mode: "1777", problem },
      { path: join(directory.path, "journal.sqlite"), mode: "0644" },
    ]);
    expect(modeOf(directory.path)).toBe(0o1777);
    expect(modeOf(join(directory.path, "letter"))).toBe(0o644);
    expect(modeOf(join(directory.path, "journal.sqlite"))).toBe(0o600);
  });

  it("closes all that is aggwatch's own, and names no more than is needed of what is not", () => {
    const path = (name: string): string => join(directory.path, name);
    for (const name of ["backups", "lost+found"]) {
      mkdirSync(path(name));
      chmodSync(path(name), 0o755);
    }
    const own = ["backups/a.sqlite", "journal.sqlite-wal", "replies.sqlite"];
    for (const name of own) {
      writeFileSync(path(name), "");
      chmodSync(path(name), 0o640);
    }
    chmodSync(directory.path, 0o750);
    expect(closeToOthers(directory.path)).toEqual([
      { path: directory.path, mode: "0750" },
      { path: path("backups"), mode: "0755" },
      { path: path("journal.sqlite-wal"), mode: "0640" },
      { path: path("replies.sqlite"), mode: "0640" },
      { path: path("backups/a.sqlite"), mode: "0640" },
    ]);
    for (const name of own) expect(modeOf(path(name))).toBe(0o600);
    expect(modeOf(path("lost+found"))).toBe(0o755);
    for (const name of ["x", "y", "z"]) writeFileSync(path(name), "");
    expect(closeToOthers(directory.path)).toEqual([]);
    chmodSync(directory.path, 0o750);
    const problem =
      "it holds what is not aggwatch's (x, y, z): give aggwatch a directory of its own";
    expect(closeToOthers(directory.path)).toEqual([
      { path: directory.path, mode: "0750", problem },
    ]);
  });

  it("leaves backups open that are a link to where others keep theirs, and closes its own there", () => {
    const path = (name: string): string => join(directory.path, name);
    for (const [name, mode] of [
      ["data", 0o700],
      ["shared", 0o755],
      ["shared/theirs", 0o755],
    ] as const) {
      mkdirSync(path(name));
      chmodSync(path(name), mode);
    }
    symlinkSync(path("shared"), path("data/backups"));
    for (const name of ["shared/list.txt", "shared/journal-1.sqlite"]) {
      writeFileSync(path(name), "");
      chmodSync(path(name), 0o644);
    }
    const problem =
      "it holds what is not aggwatch's (list.txt, theirs): give aggwatch a directory of its own";
    expect(closeToOthers(path("data"))).toEqual([
      { path: path("data/backups"), mode: "0755", problem },
      { path: path("data/backups/journal-1.sqlite"), mode: "0644" },
    ]);
    const modes = ["shared", "shared/theirs", "shared/list.txt", "shared/journal-1.sqlite"].map(
      (name) => modeOf(path(name)),
    );
    expect(modes).toEqual([0o755, 0o755, 0o644, 0o600]);
  });

  it("is nothing if there is no directory yet, or a file is in its place", () => {
    expect(closeToOthers(join(directory.path, "not yet"))).toEqual([]);
    const file = join(directory.path, "file");
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    expect(closeToOthers(file)).toEqual([]);
    expect(modeOf(file)).toBe(0o644);
  });

  it("is nothing where a link leads to itself", () => {
    const data = join(directory.path, "data");
    symlinkSync(data, data);
    expect(closeToOthers(data)).toEqual([]);
    chmodSync(directory.path, 0o700);
    const file = join(directory.path, "journal.sqlite");
    symlinkSync(file, file);
    rmSync(data);
    expect(closeToOthers(directory.path)).toEqual([]);
  });

  it("says what it cannot change", () => {
    // Not even root may change the permissions of a process.
    const file = join(directory.path, "journal.sqlite");
    symlinkSync("/proc/self/status", file);
    chmodSync(directory.path, 0o700);
    expect(closeToOthers(directory.path)).toEqual([
      { path: file, mode: "0444", problem: expect.stringMatching(/EPERM|not permitted/) },
    ]);
  });
});
