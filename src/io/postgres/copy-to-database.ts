import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HOME } from "../../domain/lease.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { toEnd } from "../../domain/slices.ts";
import { journalBytes, journalFileAt } from "../journal/file.ts";
import { packPage, readPages, type StoredPage } from "../journal/record-pages.ts";
import { makeRoom } from "../journal/copy-room.ts";
import { readRows, storedFinding, type JournalRecord } from "../journal/rows.ts";
import { copyJournal, type OnProgress } from "../journal/tools.ts";
import { AT_ONCE, copiedSoFar, type Copied } from "./copy-to-file.ts";
import type { Ask, Database } from "./database.ts";
import { heldText, readLease } from "./lease.ts";
import { lockedSchemaVersion, MIGRATIONS, migrateWithin } from "./schema.ts";
import { writeRecord, written } from "./write.ts";

/**
 * Copies the journal of a stopped aggwatch, or a backup of one, into a database without a journal, all or nothing, and
 * creates the schema if there is none. A replica that starts meanwhile waits for the end.
 */
export async function copyToDatabase(
  from: string,
  database: Pick<Database, "transaction">,
  onProgress?: OnProgress,
  freeIn?: (place: string) => number,
): Promise<Result<Copied, string>> {
  // One to look at, and one that is whole by itself.
  const needed = 2 * journalBytes(from);
  const places = [dirname(journalFileAt(from)), tmpdir()];
  const room = makeRoom(
    places,
    () => needed,
    () => undefined,
    freeIn,
  );
  if (!room.ok) return room;
  try {
    const file = join(room.value, "journal.sqlite");
    const saved = toEnd(copyJournal(from, file, onProgress));
    if (!saved.ok) return saved;
    const source = new DatabaseSync(file, { readOnly: true });
    try {
      const done = await database.transaction(
        async (ask) => await fillDatabase(ask, source, onProgress),
      );
      return done.ok ? done.value : fail(`nothing was copied: ${done.problem.detail}`);
    } finally {
      source.close();
    }
  } finally {
    rmSync(room.value, { recursive: true, force: true });
  }
}

async function fillDatabase(
  ask: Ask,
  source: DatabaseSync,
  onProgress?: OnProgress,
): Promise<Result<Copied, string>> {
  const refused = (await whyNotFilled(ask)) ?? (await migrateWithin(ask));
  if (refused !== undefined) return fail(refused);
  // The first replica that starts puts the senders into their units.
  await ask("UPDATE sharding SET shards = 0");
  // A replica that comes back late with an old lease, of whichever unit, must not write any more.
  await ask("UPDATE lease SET owner = NULL, epoch = epoch + 1");
  await ask(
    `INSERT INTO lease (unit, owner, epoch, last_sequence, renewed_at, lasts_ms)
     VALUES ($1, NULL, 1, 0, clock_timestamp(), 0) ON CONFLICT (unit) DO NOTHING`,
    [HOME],
  );
  const lease = await readLease(ask, HOME);
  if (lease === undefined) throw new Error("there is the lease of home");
  const { epoch } = lease;
  let after = lease.sequence;
  let [rows, findings, pages, lost] = [0, 0, 0, 0];
  const say = (): void => onProgress?.(copiedSoFar({ rows, findings, pages }), "count");
  const write = async (part: Part): Promise<void> => {
    const record = { at: 0, changes: [], findings: [], ...part };
    const fence = { epoch, sequence: after + 1, after };
    if (!(await writeRecord(ask, { unit: HOME }, fence, written(record))))
      throw new Error("it was changed");
    after += 1;
    rows += part.changes?.length ?? 0;
    findings += part.findings?.length ?? 0;
    say();
  };
  for (const changes of inParts(readRows(source))) await write({ changes });
  const found = source.prepare("SELECT at, body FROM finding ORDER BY seq").iterate();
  for (const part of inParts(found)) await write({ findings: part.map(storedFinding) });
  for (const page of readPages(source, 0)) {
    if ("problem" in page) lost += 1;
    else {
      await savePage(ask, page);
      pages += 1;
      say();
    }
  }
  return succeed({ rows, findings, pages, lost });
}

/** Why nothing can be copied into a database; undefined if it can. `migrateWithin` refuses a newer schema. */
async function whyNotFilled(ask: Ask): Promise<string | undefined> {
  const version = await lockedSchemaVersion(ask);
  if (version === 0 || version > MIGRATIONS.length) return undefined;
  await ask("LOCK TABLE lease IN ACCESS EXCLUSIVE MODE");
  const running = await heldText(ask);
  if (running !== undefined) return running;
  const [held] = await ask("SELECT EXISTS (SELECT FROM state WHERE value IS NOT NULL) AS any");
  return held?.["any"] === true
    ? "the database holds a journal already: give one that holds none"
    : undefined;
}

type Part = Partial<Pick<JournalRecord, "changes" | "findings">>;

/** The page keeps its number, which also names its unit. */
async function savePage(ask: Ask, { seq, at, until, whole, body }: StoredPage): Promise<void> {
  await ask("INSERT INTO record (seq, at, until, whole, body) VALUES ($1, $2, $3, $4, $5)", [
    seq,
    at,
    until,
    whole ? 1 : 0,
    packPage(body),
  ]);
}

function* inParts<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
