import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { fillJournal, killedJournal, overwrite } from "../../io/journal/damages.ts";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { commandLine } from "../command-line.ts";

describe("aggwatch journal", () => {
  it.for(["check", "info", "repair", "copy"])(
    "refuses a file that it would not look at: %s",
    async (what) => {
      expect(await commandLine(["journal", what, "backup.sqlite"])).toStrictEqual({
        exitCode: 2,
        printed: "",
        complained: `journal ${what} takes no FILE (aggwatch journal --help)`,
      });
    },
  );

  it.for(["check", "info", "repair", "copy"])(
    "refuses the address of a running aggwatch, as it would look elsewhere: %s",
    async (what) => {
      const env = { AGGWATCH_DATABASE_URL: "postgres://aggwatch@127.0.0.1:1/none" };
      const args = ["journal", what, "--url", "http://127.0.0.1:1"];
      expect(await commandLine(args, env)).toStrictEqual({
        exitCode: 2,
        printed: "",
        complained: `journal ${what} takes no --url (aggwatch journal --help)`,
      });
    },
  );

  it.for([
    [["check", "--from", "/other"], "check takes no --from"],
    [["info", "--to", "/other"], "info takes no --to"],
    [["copy", "--from", "/one", "--to", "postgres", "--data", "/other"], "copy takes no --data"],
    [["repair", "--json"], "repair takes no --json"],
    [["check", "--token-file", "/other"], "check takes no --token-file"],
    [["backup", "a.sqlite", "--json"], "backup takes no --json"],
    [["backup", "--url", "http://127.0.0.1:1", "--data", "/other"], "backup --url takes no --data"],
  ] as const)("refuses an option that would have no effect: %j", async ([args, problem]) => {
    const env = { AGGWATCH_DATABASE_URL: "postgres://aggwatch@127.0.0.1:1/none" };
    expect(await commandLine(["journal", ...args], env)).toStrictEqual({
      exitCode: 2,
      printed: "",
      complained: `journal ${problem} (aggwatch journal --help)`,
    });
  });

  it("says what a repair needs, if it is given a file as the other commands take it", async () => {
    const room = temporaryDirectory();
    onTestFinished(room.remove);
    const [file, backup] = [join(room.path, "journal.sqlite"), join(room.path, "backup.sqlite")];
    for (const path of [file, backup]) writeFileSync(path, "");
    const repair = async (path: string) => await commandLine(["journal", "repair", "--data", path]);
    const needed = "is a file, and a data directory is needed:";
    expect(await repair(file)).toStrictEqual({
      exitCode: 1,
      printed: "",
      complained: `${file} ${needed} give the directory that it is in: --data ${room.path}.`,
    });
    expect((await repair(backup)).complained).toBe(
      `${backup} ${needed} move it into a directory, as journal.sqlite, and give that with --data.`,
    );
    const below = join(file, "below");
    const missing = `there is no journal in ${below}: journal.sqlite is missing`;
    for (const what of ["check", "info", "repair"])
      expect(await commandLine(["journal", what, "--data", below])).toMatchObject({
        exitCode: 1,
        complained: missing,
      });
  });

  it.for([[[]], [["a.sqlite", "--url", "http://127.0.0.1:1"]]])(
    "asks where a backup goes, or who makes it, but not for both: %j",
    async ([args = []]) => {
      const env = { AGGWATCH_DATABASE_URL: "postgres://aggwatch@127.0.0.1:1/none" };
      expect(await commandLine(["journal", "backup", ...args], env)).toMatchObject({
        exitCode: 2,
        complained: expect.stringMatching(/^Say FILE, .* or --url, /),
      });
    },
  );

  it("looks into --data though nothing can read the address of the config's database", async () => {
    const room = temporaryDirectory();
    onTestFinished(room.remove);
    const config = join(room.path, "aggwatch.yaml");
    writeFileSync(config, "journal: { postgres: { url_file: no-such-file } }\n");
    const args = ["journal", "check", "--config", config];
    expect((await commandLine(args)).complained).toContain("no-such-file");
    expect(await commandLine([...args, "--data", room.path])).toMatchObject({
      exitCode: 1,
      complained: `there is no journal in ${room.path}: journal.sqlite is missing`,
    });
  });

  it.for(["check", "info"])(
    "says what to do with a damaged one, and where it is: %s",
    async (what) => {
      const room = temporaryDirectory();
      onTestFinished(room.remove);
      fillJournal(room.path, 1_000);
      const file = join(room.path, "journal.sqlite");
      overwrite(file, 100, Buffer.alloc(4_000, 0xa5));
      const { exitCode, complained } = await commandLine(["journal", what, "--data", room.path]);
      expect(exitCode).toBe(1);
      expect(complained.split("\n").at(-1)).toBe(
        `${file} is damaged. \`aggwatch journal repair --data ${room.path}\` saves what can be read.`,
      );
    },
  );

  it("says what is wrong with one of which it can say more: info", async () => {
    const room = temporaryDirectory();
    onTestFinished(room.remove);
    fillJournal(room.path, 1_000);
    const database = new DatabaseSync(join(room.path, "journal.sqlite"));
    database.exec("UPDATE finding SET body = '{' WHERE seq = 7");
    database.close();
    const info = await commandLine(["journal", "info", "--data", room.path]);
    expect(info.printed).toContain("4000 findings");
    expect(info.complained).toMatch(
      /^the finding 7: .*\n`aggwatch journal check` says all that is wrong\.$/,
    );
    expect(info.exitCode).toBe(0);
  });

  it.for(["", "\n"])(
    "keeps the log of one that is empty, as by `echo > journal.sqlite`: %j",
    async (content) => {
      const room = temporaryDirectory();
      onTestFinished(room.remove);
      const killed = killedJournal(room.path);
      writeFileSync(join(killed, "journal.sqlite"), content);
      const checked = await commandLine(["journal", "check", "--data", killed]);
      expect(checked.exitCode).toBe(1);
      expect(checked.complained).toContain(`it is empty, ${content.length} byte`);
      expect(openJournal(killed)).toMatchObject({ ok: false });
      expect(readdirSync(killed).toSorted()).toEqual(["journal.sqlite", "journal.sqlite-wal"]);
      const repaired = await commandLine(["journal", "repair", "--data", killed]);
      expect(repaired.printed).toContain("what was only in journal.sqlite: it is empty");
      expect(repaired.exitCode).toBe(0);
    },
  );

  it.for([
    [[], "journal.sqlite and journal.sqlite-wal away, both, and"],
    [["journal.sqlite"], "journal.sqlite-wal away, and"],
    [["journal.sqlite-wal"], "journal.sqlite away, and"],
  ] as const)("says what to move away after a repair if %j is gone", async ([gone, said]) => {
    const room = temporaryDirectory();
    onTestFinished(room.remove);
    const killed = killedJournal(room.path);
    for (const name of gone) rmSync(join(killed, name));
    const repaired = await commandLine(["journal", "repair", "--data", killed]);
    expect(repaired.printed).toContain(
      `\nTo use it, move ${killed}/${said} give it the name journal.sqlite.`,
    );
  });

  it("says why a backup cannot be written where there is no directory", async () => {
    const { path, remove } = temporaryDirectory();
    onTestFinished(remove);
    fillJournal(path, 1_000);
    const file = join(path, "journal.sqlite", "backup.sqlite");
    expect(await commandLine(["journal", "backup", file, "--data", path])).toStrictEqual({
      exitCode: 1,
      printed: "",
      complained: expect.stringMatching(`^${file} cannot be written: ENOTDIR`),
    });
  });

  it("looks at a backup, sound or damaged, by the name of its file", async () => {
    const room = temporaryDirectory();
    onTestFinished(room.remove);
    fillJournal(room.path, 1_000);
    const file = join(room.path, "copy.sqlite");
    expect((await commandLine(["journal", "backup", file, "--data", room.path])).exitCode).toBe(0);
    rmSync(join(room.path, "journal.sqlite"));
    const check = ["journal", "check", "--data", file];
    const sound = await commandLine(check);
    expect(sound).toMatchObject({ exitCode: 0, complained: "" });
    expect(sound.printed).toMatch(
      /copy\.sqlite: [1-9]\d+ bytes, schema [^]*4000 findings[^]*\nok$/,
    );
    const info = await commandLine(["journal", "info", "--data", file, "--json"]);
    expect(JSON.parse(info.printed)).toMatchObject({ file, findings: 4_000, problems: [] });
    overwrite(file, 100, Buffer.alloc(4_000, 0xa5));
    const { exitCode, complained } = await commandLine(check);
    expect(exitCode).toBe(1);
    expect(complained).toContain(
      `${file} is damaged. In a data directory, as its journal.sqlite, \`aggwatch journal repair\` saves`,
    );
    expect(readdirSync(room.path)).toEqual(["copy.sqlite"]);
  });
});
