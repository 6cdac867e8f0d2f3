import { fail, succeed, type Result } from "../../domain/result.ts";
import type { OutboxRow } from "../../domain/notification.ts";
import type { Change } from "../../domain/step.ts";
import type { Ask, Database } from "./database.ts";
import { HOME, sendersNumber, sendersUnits } from "../../domain/lease.ts";
import { packPage, pagesOf, RECORD_UNITS, unitOfPage } from "../journal/record-pages.ts";
import { rowsOf, unitsIn } from "./journal.ts";
import { heldLease } from "./lease.ts";
import { createListingRows, type ListingRows } from "./listing-rows.ts";
import { createRowUnits, type RowUnits } from "./row-units.ts";
import { otherSchema } from "./schema.ts";
import { storable } from "./text.ts";

/**
 * Moves every row into its unit, if the database was last used with another number of shards; first-seen instants,
 * alerts and undelivered notifications move too. It fails if a replica still runs with that number, or if the database
 * is away.
 */
export async function dealRows(
  { transaction }: Pick<Database, "transaction">,
  shards: number,
  /** The last page of the record of a unit that no longer exists. */
  ended: string,
): Promise<Result<void, string>> {
  const known = await transaction(shardsOf);
  if (!known.ok) return fail(known.problem.detail);
  if (known.value === shards) return succeed(undefined);
  const done = await transaction(async (ask) => {
    await ask("LOCK TABLE lease IN ACCESS EXCLUSIVE MODE");
    const other = await otherSchema(ask);
    if (other !== undefined) return other;
    const before = await shardsOf(ask);
    // Another starting replica may have done it meanwhile.
    if (before === shards) return undefined;
    const held = await heldLease(ask);
    if (held !== undefined)
      return `journal.shards is ${shards} here, and the replica ${held.owner}, which has ${held.unit}, runs with ${before}: stop all replicas before you change it`;
    // A replica that comes back late with an old lease must not write any more.
    await ask("UPDATE lease SET owner = NULL, epoch = epoch + 1");
    await deal(ask, shards);
    await endRecords(ask, shards, ended);
    await ask("UPDATE sharding SET shards = $1", [shards]);
    return undefined;
  });
  if (!done.ok) return fail(`the rows cannot be put into their units: ${done.problem.detail}`);
  return done.value === undefined ? succeed(undefined) : fail(done.value);
}

export async function shardsOf(ask: Ask): Promise<number> {
  const [row] = await ask("SELECT shards FROM sharding");
  return Number(row?.["shards"] ?? 0);
}

async function deal(ask: Ask, shards: number): Promise<void> {
  const units = await unitsIn(ask);
  await ask("DELETE FROM state WHERE value IS NULL");
  const rowUnits = createRowUnits(shards);
  for (const unit of units)
    for await (const part of rowsOf(ask, unit)) for (const row of part) rowUnits.see(row);
  const waiting: Waiting[] = [];
  const listings = createListingRows();
  for (const unit of units)
    for await (const part of rowsOf(ask, unit)) {
      waiting.push(...part.flatMap(waitingOf));
      await move(
        ask,
        part
          .filter((row) => !listings.take(row))
          .map((row) => ({ row, from: unit, to: rowUnits.of(row) })),
      );
    }
  await dealListings(ask, listings, rowUnits, shards);
  await renumber(ask, waiting, rowUnits.of);
  await shareCounters(ask, shards, waiting.length);
}

/** Each unit gets its own part of each listing. */
async function dealListings(
  ask: Ask,
  { whole, part }: ListingRows,
  { ofEntry }: RowUnits,
  shards: number,
): Promise<void> {
  const keys = whole().map(({ key }) => storable(key));
  if (keys.length === 0) return;
  await ask("DELETE FROM state WHERE name = 'watch' AND key = ANY($1::text[])", [keys]);
  const senders = sendersUnits(shards);
  for (const unit of [HOME, ...senders])
    for (const { table, key, value } of part((entry) => ofEntry(entry) === unit))
      await ask("INSERT INTO state (unit, name, key, value, sequence) VALUES ($1, $2, $3, $4, 0)", [
        unit,
        table,
        storable(key),
        JSON.stringify(value),
      ]);
}

async function endRecords(ask: Ask, shards: number, ended: string): Promise<void> {
  for (const { seq } of await ask(RECORD_UNITS)) {
    const unit = unitOfPage(Number(seq));
    if ((sendersNumber(unit) ?? 0) <= shards) continue;
    await ask(
      `INSERT INTO record (seq, at, until, whole, body)
       SELECT max(seq) + 1, greatest(now.at, max(until)), greatest(now.at, max(until)), 1, $3
       FROM record, (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at) AS now
       WHERE seq >= $1 AND seq < $2 GROUP BY now.at`,
      [...pagesOf(unit), packPage(ended)],
    );
  }
}

type Move = { readonly row: Change; readonly from: string; readonly to: string };

/** A row that the target has too, such as a counter, stays as it is there. */
async function move(ask: Ask, all: readonly Move[]): Promise<void> {
  const moves = all.filter(({ from, to }) => from !== to);
  if (moves.length === 0) return;
  await ask(
    `WITH gone AS (
       DELETE FROM state USING unnest($1::text[], $2::text[], $3::text[], $4::text[])
         AS given (unit, name, key, target)
       WHERE state.unit = given.unit AND state.name = given.name AND state.key = given.key
       RETURNING given.target, state.name, state.key, state.value
     )
     INSERT INTO state (unit, name, key, value, sequence)
     SELECT target, name, key, value, 0 FROM gone ON CONFLICT (unit, name, key) DO NOTHING`,
    [
      moves.map(({ from }) => from),
      moves.map(({ row }) => row.table),
      moves.map(({ row }) => storable(row.key)),
      moves.map(({ to }) => to),
    ],
  );
}

type Waiting = { readonly row: Change & { readonly value: OutboxRow }; readonly number: number };

function waitingOf(row: Change): readonly Waiting[] {
  if (row.table !== "notification") return [];
  const value = row.value as OutboxRow;
  return value.waiting === undefined
    ? []
    : [{ row: { ...row, value }, number: value.waiting.number }];
}

/** Notifications that wait in different units may have the same number, so all are numbered again. */
async function renumber(
  ask: Ask,
  waiting: readonly Waiting[],
  unitOf: (row: Change) => string,
): Promise<void> {
  const ordered = waiting.toSorted((one, other) => one.number - other.number);
  for (const [index, { row }] of ordered.entries()) {
    if (row.value.waiting === undefined) continue;
    const value = { ...row.value, waiting: { ...row.value.waiting, number: index + 1 } };
    await ask("UPDATE state SET value = $1 WHERE unit = $2 AND name = $3 AND key = $4", [
      JSON.stringify(value),
      unitOf(row),
      row.table,
      storable(row.key),
    ]);
  }
}

/** Every unit gets the highest value of each counter, so that instants and numbers only grow, wherever a row goes. */
async function shareCounters(ask: Ask, shards: number, waiting: number): Promise<void> {
  await ask(
    `WITH counted AS (
       SELECT key, greatest(max(value::bigint), CASE key WHEN 'notification' THEN $2::bigint END) AS value
       FROM state WHERE name = 'counter' GROUP BY key
     )
     INSERT INTO state (unit, name, key, value, sequence)
     SELECT target.unit, 'counter', counted.key, counted.value::text, 0
     FROM counted, (
       SELECT 'home' AS unit UNION ALL SELECT 'senders/' || number FROM generate_series(1, $1::integer) AS number
     ) AS target
     ON CONFLICT (unit, name, key) DO UPDATE SET value = excluded.value`,
    [shards, waiting],
  );
}
