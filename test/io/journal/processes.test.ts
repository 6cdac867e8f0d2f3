/** Tests src/io/journal: processes. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  JOURNAL_FILE,
  journalOf,
  openJournal,
  type Journal,
} from "../../../src/io/journal/journal.ts";
import { isComplete } from "../../../src/io/journal/large-commit.ts";
import { runScript, sourceUrl, type ChildScript } from "./child-script.ts";
import { rowOf } from "./row-of.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let children: ChildScript[] = [];

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(async () => {
  for (const child of children) child.process.kill("SIGKILL");
  await Promise.all(children.map(({ ended }) => ended));
  children = [];
  directory.remove();
});

function open(): Journal {
  const journal = openJournal(directory.path);
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

/** Runs a script that has `openJournal`, `directory`, `lastNumber`, and `say`, which writes a line at once. */
function run(script: string, options: { readonly largestFileBlocks?: number } = {}): ChildScript {
  const head = `
    import { writeSync } from "node:fs";
    import { openJournal } from ${JSON.stringify(sourceUrl("io/journal/journal.ts"))};
    const directory = process.argv[1];
    const say = (line) => writeSync(1, line + "\\n");
    const lastNumber = (journal) =>
      [...journal.rows("counter")].find(({ key }) => key === "at")?.value ?? 0;
  `;
  const child = runScript(head + script, [directory.path], options);
  children.push(child);
  return child;
}

describe("a second process on the same journal", () => {
  it("is refused with a clear message, and can open it once the first has ended", async () => {
    const first = open();
    const script = `
      const journal = openJournal(directory);
      say(journal.ok ? "opened" : journal.problem);
    `;
    expect(await run(script).nextLine()).toMatch(
      /journal\.sqlite is in use by another aggwatch\. .*--data/,
    );
    expect(first.commit({ at: 1, changes: [], findings: [] }).ok).toBe(true);
    first.close();
    expect(await run(script).nextLine()).toBe("opened");
  });

  it("finds it free after the first was killed", async () => {
    const holder = run(`
      const journal = openJournal(directory);
      say(journal.ok ? "opened" : journal.problem);
      process.stdin.resume();
    `);
    expect(await holder.nextLine()).toBe("opened");
    expect(openJournal(directory.path).ok).toBe(false);
    holder.process.kill("SIGKILL");
    expect(await holder.ended).toBe("SIGKILL");
    open().close();
  });
});

describe("SIGKILL at any instant", () => {
  it("loses no row that was acknowledged, and leaves none by half", async () => {
    // Each commit writes a pair of rows with the same number, then says that number.
    const script = `
      const opened = openJournal(directory);
      if (!opened.ok) throw new Error(opened.problem);
      const journal = opened.value;
      let number = lastNumber(journal);
      for (;;) {
        number += 1;
        const done = journal.commit({
          at: number,
          changes: [
            { table: "counter", key: "at", value: number },
            { table: "entity", key: "e" + (number % 50), value: { number, text: "x".repeat(number % 3000) } },
          ],
          findings: [{ at: number, finding: { type: "kill", source: "operator", on: true, detail: String(number) } }],
        });
        if (!done.ok) throw new Error(done.problem);
        say(String(number));
      }
    `;
    let acknowledged = 0;
    for (let round = 0; round < 10; round += 1) {
      const child = run(script);
      // The instant is as random as the number of commits that are waited for.
      const commits = 1 + Math.floor(Math.random() * 200);
      for (let heard = 0; heard < commits; heard += 1) await child.nextLine();
      child.process.kill("SIGKILL");
      const rest = (await child.rest()).filter((line) => /^\d+$/.test(line));
      expect(await child.ended, child.errors()).toBe("SIGKILL");
      const said = Number(rest.at(-1) ?? acknowledged);
      const journal = open();
      const kept = Number(rowOf(journal, "counter", "at"));
      expect(kept).toBeGreaterThanOrEqual(Math.max(said, acknowledged + commits));
      expect(rowOf(journal, "entity", `e${kept % 50}`)).toMatchObject({ number: kept });
      expect(journal.findings(1)).toMatchObject([{ at: kept, finding: { detail: String(kept) } }]);
      acknowledged = kept;
      journal.close();
    }
    expect(acknowledged).toBeGreaterThan(10);
  });
});

describe("SIGKILL in the middle of a large commit", () => {
  it("leaves all of it or nothing, and loses none that was acknowledged", async () => {
    // All rows of a commit have its number. It says each slice, so that the kill falls between any two.
    const script = `
      const opened = openJournal(directory);
      if (!opened.ok) throw new Error(opened.problem);
      const journal = opened.value;
      const number = 1 + lastNumber(journal);
      const kill = { type: "kill", source: "operator", on: true, detail: String(number) };
      const changes = Array.from({ length: 3_000 }, (_, index) => ({
        table: "entity", key: "e" + index, value: { number, text: "x".repeat(600) },
      }));
      const findings = Array.from({ length: 1_000 }, () => ({ at: number, finding: kill }));
      changes.push({ table: "counter", key: "at", value: number });
      const slices = journal.commitInSlices({ at: number, changes, findings });
      for (let step = slices.next(); ; step = slices.next()) {
        if (step.done) { say(step.value.ok ? "committed" : step.value.problem); break; }
        say("slice");
      }
      journal.close();
    `;
    const whole = await run(script).rest();
    expect(whole.at(-1)).toBe("committed");
    const rounds = 12;
    let known = 1;
    for (let round = 0; round < rounds; round += 1) {
      const child = run(script);
      const slices = Math.floor((whole.length * round) / rounds);
      for (let heard = 0; heard < slices; heard += 1) await child.nextLine();
      child.process.kill("SIGKILL");
      const said = await child.rest();
      await child.ended;
      const journal = open();
      const numbers = [...journal.rows()].map(({ table, value }) =>
        table === "counter" ? Number(value) : (value as { readonly number: number }).number,
      );
      const [number = 0] = new Set(numbers);
      expect(new Set(numbers)).toEqual(new Set([number]));
      expect(numbers).toHaveLength(3_001);
      expect(journal.findings(5_000).filter(({ at }) => at === number)).toHaveLength(1_000);
      expect(number).toBeGreaterThanOrEqual(said.includes("committed") ? known + 1 : known);
      expect(number).toBeLessThanOrEqual(known + 1);
      known = number;
      journal.close();
    }
  });
});

describe("a full disk", () => {
  it("makes a commit fail with a problem; later ones work again, and what was written stays", async () => {
    // No file of the child may grow beyond 2 MB (ulimit counts 512 or 1024 bytes a block).
    const child = run(
      `
      const opened = openJournal(directory);
      if (!opened.ok) throw new Error(opened.problem);
      const journal = opened.value;
      const put = (key, length) => {
        const changes = [{ table: "entity", key, value: { text: "x".repeat(length) } }];
        const done = journal.commit({ at: 1, changes, findings: [] });
        say(done.ok ? "committed" : "problem: " + done.problem);
      };
      put("before", 1_000);
      put("too large", 20_000_000);
      put("too large again", 20_000_000);
      put("after", 1_000);
      say([...journal.rows()].map(({ key }) => key).join());
      `,
      { largestFileBlocks: 2_048 },
    );
    expect(await child.nextLine()).toBe("committed");
    expect(await child.nextLine()).toMatch(/^problem: .*(full|I\/O)/);
    expect(await child.nextLine()).toMatch(/^problem: .*(full|I\/O)/);
    expect(await child.nextLine()).toBe("committed");
    expect(await child.nextLine()).toBe("after,before");
    expect(await child.ended, child.errors()).toBe(0);
    const journal = open();
    expect([...journal.rows()].map(({ key }) => key)).toEqual(["after", "before"]);
    journal.close();
  });

  it("is told from damage if a large commit waits to be brought in, which is then brought in with room", async () => {
    open().close();
    const disk = new DatabaseSync(join(directory.path, JOURNAL_FILE));
    const journal = journalOf(disk, directory.path, { rowsAtOnce: () => 3 });
    const changes = Array.from({ length: 10 }, (_, index) => ({
      table: "entity" as const,
      key: `k${index}`,
      value: { text: "x".repeat(100_000) },
    }));
    const work = journal.commitInSlices({ at: 1, changes, findings: [] });
    while (!isComplete(disk) && work.next().done !== true);
    expect(isComplete(disk)).toBe(true);
    disk.close();
    const opening = `
      const opened = openJournal(directory);
      say(opened.ok ? "opened" : opened.problem);
    `;
    const child = run(opening, { largestFileBlocks: 128 });
    expect(await child.nextLine()).toMatch(
      /cannot be opened: a commit waits to be brought in, .*(full|I\/O).*Free some room/,
    );
    expect(await child.ended, child.errors()).toBe(0);
    const later = open();
    expect([...later.rows()].map(({ key }) => key)).toEqual(changes.map(({ key }) => key));
    later.close();
  });
});
