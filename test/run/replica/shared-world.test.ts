/** Tests src/run/replica/shared-world.ts. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DAY, HOUR } from "../../../src/domain/time.ts";
import { backupFile, MOST_BACKUPS_OF_REPLICA } from "../../../src/io/journal/backup.ts";
import { backUpOf, type SharedWorld } from "../../../src/run/replica/shared-world.ts";
import { connectMigrated, usePostgres } from "../../io/postgres/fixture.ts";

const server = usePostgres();
const AT = Date.UTC(2026, 0, 1);

it("keeps the newest backups of a database, and deletes older ones, unless they may still be written or are of a journal in a file", async (context) => {
  const data = mkdtempSync(join(tmpdir(), "aggwatch-shared-world-"));
  context.onTestFinished(() => rmSync(data, { recursive: true }));
  mkdirSync(join(data, "backups"));
  const older = Array.from({ length: MOST_BACKUPS_OF_REPLICA + 2 }, (_, days) =>
    backupFile(data, AT + days * DAY, "replicas"),
  );
  // Those of the journal in a file that was here before.
  const others = [0, 1, 2, 3].map((days) => backupFile(data, AT + days * DAY));
  others.push(`${backupFile(data, AT)}.unfinished`);
  const at = AT + 365 * DAY;
  const cutOff = `${backupFile(data, at - 2 * DAY, "replicas")}.unfinished`;
  const beside = `${backupFile(data, at - HOUR, "replicas")}.unfinished`;
  for (const file of [...others, ...older, cutOff, beside]) writeFileSync(file, "");
  const database = await connectMigrated(context, await server().makeDatabase());
  const current = () => ({ setup: { settings: { data } } });
  const backUp = backUpOf({ database, current } as unknown as SharedWorld);
  const made = await backUp(at);
  expect(made).toMatchObject({ ok: true });
  const names = readdirSync(join(data, "backups")).map((name) => join(data, "backups", name));
  const kept = [...others, ...older.slice(3), beside, backupFile(data, at, "replicas")];
  expect(names.toSorted()).toEqual(kept.toSorted());
});

it("makes no backup of a database that would take more than half of the room, and leaves nothing behind", async (context) => {
  const data = mkdtempSync(join(tmpdir(), "aggwatch-shared-world-"));
  context.onTestFinished(() => rmSync(data, { recursive: true }));
  const database = await connectMigrated(context, await server().makeDatabase());
  await database.query(
    "INSERT INTO state SELECT 'home', 'entity', n, repeat('x', 900), 1 FROM generate_series(1, 2000) AS n",
  );
  const current = () => ({ setup: { settings: { data } } });
  const world = { database, current } as unknown as SharedWorld;
  expect(await backUpOf(world, () => 3_000_000)(AT)).toEqual({
    ok: false,
    problem: expect.stringMatching(/too little room: it takes up to \d MB of 3 MB that are free/),
  });
  expect(readdirSync(join(data, "backups"))).toEqual([]);
});
