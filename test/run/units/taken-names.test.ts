import { expect, it } from "vitest";
import type { Command } from "../../../src/domain/command.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { DatabaseAway, type Database } from "../../../src/io/postgres/database.ts";
import { withTakenNames } from "../../../src/run/units/taken-names.ts";

const WATCH = {
  name: "watch",
  aggregator: "bsc",
  entry: { kind: "sender", target: "0xa", alias: "desk" },
} as const satisfies Command;

/** What reaches the unit `senders/2` of three, if the database gives these rows or fails. */
async function decided(command: Command, given: readonly unknown[] | Error) {
  const asked: unknown[] = [];
  const decisions: Command[] = [];
  const query: Database["query"] = async (_, values) => {
    asked.push(values);
    if (given instanceof Error) throw given;
    return await Promise.resolve(given.map((value) => ({ value: JSON.stringify(value) })));
  };
  const source = {
    names: () => ({ aggregator: ["bsc"] }),
    command: (_by: string, _reason: string, taken: Command) => void decisions.push(taken),
  } as unknown as Pick<ServerSource, "command" | "names">;
  const unit = { unit: "senders/2", shards: 3, database: { query } };
  await withTakenNames(source, unit).command("alice", "a test", command);
  return { asked, decisions };
}

const entry = (target: string, alias?: string) => ({
  type: "entry",
  kind: "sender",
  target,
  ...(alias === undefined ? {} : { alias }),
});

it("a new entry comes with those of other units that have its name, or its address as theirs", async () => {
  const rows = [entry("0xb", "desk"), entry("0xc", "0xa"), entry("0xd", "fund"), entry("0xe")];
  const { asked, decisions } = await decided(WATCH, rows);
  expect(asked).toEqual([[["senders/1", "senders/3"], ["bsc/sender/"]]]);
  expect(decisions).toEqual([{ ...WATCH, elsewhere: rows.slice(0, 2) }]);
  const { alias: _, ...unnamed } = WATCH.entry;
  const alone = await decided({ ...WATCH, entry: unnamed }, rows);
  expect(alone.decisions).toMatchObject([{ elsewhere: [rows[1]] }]);
});

it("no other command is held up by the database", async () => {
  const kill = { name: "kill", source: "operator" } as const;
  expect(await decided(kill, new Error("it hangs"))).toEqual({ asked: [], decisions: [kill] });
});

it("a new entry is taken without the others while the database is away, and a bug is not hidden", async () => {
  const { decisions } = await decided(WATCH, new DatabaseAway("no answer"));
  expect(decisions).toEqual([{ ...WATCH, elsewhere: [] }]);
  await expect(decided(WATCH, new Error("a bug"))).rejects.toThrow("a bug");
});
