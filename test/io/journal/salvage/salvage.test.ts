import { chmodSync, chownSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { toEnd } from "../../../../src/domain/slices.ts";
import { JOURNAL_FILE, openJournal } from "../../../../src/io/journal/journal.ts";
import { salvageJournal } from "../../../../src/io/journal/salvage/salvage.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { runScript, sourceUrl } from "../child-script.ts";
import { killedJournal } from "../damages.ts";

/** A user who owns nothing else. */
const NOBODY = 65_534;

/** A journal of findings, some of which are broken; as much of it is left as `part` says. */
function lostOf({
  part,
  broken,
  findings = 200,
}: {
  readonly part: number;
  readonly broken: readonly number[];
  readonly findings?: number;
}) {
  const room = temporaryDirectory();
  try {
    const journal = openJournal(room.path);
    if (!journal.ok) throw new Error(journal.problem);
    journal.value.close();
    const file = join(room.path, JOURNAL_FILE);
    const database = new DatabaseSync(file);
    const add = database.prepare("INSERT INTO finding (seq, at, type, body) VALUES (?, 1, 'x', ?)");
    const areBroken = new Set(broken);
    database.exec("BEGIN");
    for (let seq = 1; seq <= findings; seq += 1)
      add.run(seq, areBroken.has(seq) ? "{" : JSON.stringify("x".repeat(500)));
    database.exec("COMMIT");
    database.close();
    truncateSync(file, Math.floor(statSync(file).size * part));
    const saved = toEnd(salvageJournal(room.path, Date.UTC(2026, 0, 1)));
    if (!saved.ok) throw new Error(saved.problem);
    return saved.value;
  } finally {
    room.remove();
  }
}

it("names each broken finding once, though it is read again around a damage", () => {
  const { lost, findings } = lostOf({ part: 0.6, broken: [2, 4] });
  const named = lost.filter((line) => line.includes("not JSON"));
  expect(named).toEqual([...new Set(named)]);
  expect(named.slice(0, 2)).toEqual(["the finding 2: not JSON", "the finding 4: not JSON"]);
  expect(findings).toBeGreaterThan(0);
});

it("names the first hundred of many broken findings, and counts the others", () => {
  const many = Array.from({ length: 150_000 }, (_, index) => index + 1);
  const { lost } = lostOf({ part: 1, broken: many, findings: many.length + 1 });
  expect(lost.length).toBe(101);
  expect(lost[0]).toBe("the finding 1: not JSON");
  expect(lost.at(-1)).toBe("more findings that are broken: 149900");
});

it.for([
  [100, "the finding 100: not JSON"],
  [101, "more findings that are broken: 1"],
] as const)("of %i broken findings, the last line is %j", ([count, last]) => {
  const broken = Array.from({ length: count }, (_, index) => index + 1);
  expect(lostOf({ part: 1, broken }).lost.at(-1)).toBe(last);
});

it("says that a number of findings is a guess, if not even the last one is known", () => {
  const { lost } = lostOf({ part: 0.6, broken: [] });
  expect(lost).toContainEqual(expect.stringMatching(/^at most \d+ findings that cannot be read$/));
});

it("gives the number itself if both ends can be read", () => {
  expect(lostOf({ part: 1, broken: [7] }).lost).toEqual(["the finding 7: not JSON"]);
});

it("counts on from the highest id that it finds anywhere, and stops acting, if anything is lost", () => {
  const room = temporaryDirectory();
  onTestFinished(room.remove);
  const journal = openJournal(room.path);
  if (!journal.ok) throw new Error(journal.problem);
  journal.value.close();
  const keep = (table: string, key: string, value: string): void => {
    const database = new DatabaseSync(join(room.path, JOURNAL_FILE));
    database
      .prepare("INSERT INTO state (name, key, value) VALUES (?, ?, ?)")
      .run(table, key, value);
    database.close();
  };
  const find = (...bodies: readonly string[]): void => {
    const database = new DatabaseSync(join(room.path, JOURNAL_FILE));
    const count = "INSERT OR REPLACE INTO state (name, key, value) VALUES ('counter', ?, ?)";
    database.prepare(count).run("remediation", "3");
    database.prepare(count).run("proposal", "9");
    const add = database.prepare("INSERT INTO finding (at, type, body) VALUES (1, 'x', ?)");
    for (const body of bodies) add.run(body);
    database.close();
  };
  const repair = (at: number): Record<string, unknown> => {
    const saved = toEnd(salvageJournal(room.path, at));
    if (!saved.ok) throw new Error(saved.problem);
    const repaired = new DatabaseSync(saved.value.file, { readOnly: true });
    const rows = repaired.prepare("SELECT name || ' ' || key AS of, value FROM state").all();
    repaired.close();
    return Object.fromEntries(rows.map(({ of, value }) => [of, JSON.parse(String(value))]));
  };
  find('{"remediation":"r7"}', '{"detail":"r5, p2 and h4"}', '"bar8, r1x"');
  expect(repair(1)).toEqual({ "counter remediation": 3, "counter proposal": 9 });
  find("{");
  expect(repair(2_000)).toEqual({
    "counter remediation": 7,
    "counter proposal": 9,
    "counter hold": 4,
    "kill operator": expect.objectContaining({ source: "operator", since: 2_000 }),
  });
  keep("remediation", "r8", "{}");
  keep("proposal", "p10", '{"remediation":"r11"}');
  keep("silence", "s4", '{"comment":"no h99 yet"}');
  find('"r9999999999999"');
  expect(repair(3_000)).toMatchObject({
    "counter remediation": 11,
    "counter proposal": 10,
    "counter hold": 4,
    "counter silence": 4,
  });
});

it("says that there is no room for what is saved, and not that it is lost", async () => {
  const room = temporaryDirectory();
  onTestFinished(room.remove);
  const killed = killedJournal(room.path);
  const names = readdirSync(killed);
  const script = `
    import { salvageJournal } from ${JSON.stringify(sourceUrl("io/journal/salvage/salvage.ts"))};
    import { toEnd } from ${JSON.stringify(sourceUrl("domain/slices.ts"))};
    console.log(JSON.stringify(toEnd(salvageJournal(process.argv[1], 1))));
  `;
  const child = runScript(script, [killed], { largestFileBlocks: 4_096 });
  const said: unknown = JSON.parse((await child.nextLine()) ?? child.errors());
  expect(said).toMatchObject({
    ok: false,
    problem: expect.stringMatching(
      /sqlite\.repaired-\S+ cannot be written \(.*(full|I\/O).*\)\. (Free some room on its disk\.|Is its disk full, or does it fail\?)$/,
    ),
  });
  expect(readdirSync(killed)).toEqual(names);
  expect(toEnd(salvageJournal(killed, 1))).toMatchObject({ value: { rows: 30, lost: [] } });
});

it("says that its directory cannot be written, and of no room that is lacking", async () => {
  const room = temporaryDirectory();
  onTestFinished(room.remove);
  const killed = killedJournal(room.path);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const name of readdirSync(killed)) chownSync(join(killed, name), NOBODY, NOBODY);
  for (const directory of [room.path, killed]) chmodSync(directory, 0o555);
  onTestFinished(() => [room.path, killed].forEach((directory) => chmodSync(directory, 0o755)));
  const script = `
    import { salvageJournal } from ${JSON.stringify(sourceUrl("io/journal/salvage/salvage.ts"))};
    import { toEnd } from ${JSON.stringify(sourceUrl("domain/slices.ts"))};
    if (${isRoot}) process.setuid(${NOBODY});
    console.log(JSON.stringify(toEnd(salvageJournal(process.argv[1], 1))));
  `;
  const child = runScript(script, [killed]);
  const said: unknown = JSON.parse((await child.nextLine()) ?? child.errors());
  const copied = `Make ${killed} writable, or repair a copy of it in a directory that is (--data).`;
  expect(said).toEqual({
    ok: false,
    problem: expect.stringMatching(/sqlite\.repaired-\S+ cannot be written \(EACCES: /) as unknown,
  });
  expect((said as { problem: string }).problem).toContain(`). ${copied}`);
});

it.for(["empty", "gone"])(
  "says that nothing could be read if the journal is %s, and its log is all zeros",
  (what) => {
    const room = temporaryDirectory();
    onTestFinished(room.remove);
    if (what === "empty") writeFileSync(join(room.path, JOURNAL_FILE), "");
    writeFileSync(join(room.path, `${JOURNAL_FILE}-wal`), Buffer.alloc(100_000));
    expect(toEnd(salvageJournal(room.path, 1))).toMatchObject({
      ok: false,
      problem: expect.stringMatching(
        /^nothing could be read from it:\n.*\n  the header of journal\.sqlite-wal is damaged/,
      ),
    });
    expect(readdirSync(room.path).filter((name) => name.includes("repaired"))).toEqual([]);
  },
);
