import type { Alert } from "../../src/domain/alert.ts";
import type { Entity } from "../../src/domain/entity.ts";
import { sendersUnit } from "../../src/domain/lease.ts";
import type { Database } from "../../src/io/postgres/database.ts";
import { postgresJournal } from "../../src/io/postgres/journal.ts";
import type { Request } from "../kill/aggregator.ts";
import { rowsOf } from "../kill/audit.ts";
import type { JournalPicture } from "../kill/house.ts";

/** What is checked of units of senders: their rows over all moves, and what is asked for them. */

/** The rows of all units together. Rejects if the database is away. */
export async function pictureOfUnits(database: Database, shards: number): Promise<JournalPicture> {
  const units = Array.from({ length: shards }, (_, index) => sendersUnit(index + 1));
  const read = await Promise.all(units.map((unit) => postgresJournal(database, unit).read()));
  return { rows: read.flatMap(({ rows }) => rows), findings: [] };
}

/** What a later picture lost or changed of the swaps, which are active all the time. */
export function brokenUnits(before: JournalPicture, after: JournalPicture): string[] {
  const broken: string[] = [];
  const entities = rowsOf<Entity>(after, "entity");
  for (const [key, { kind, firstSeen }] of rowsOf<Entity>(before, "entity")) {
    const now = entities.get(key)?.firstSeen;
    if (kind === "swap" && now !== firstSeen)
      broken.push(`first_seen of ${key}: ${firstSeen}, ${now}`);
  }
  const alerts = rowsOf<Alert>(after, "alert");
  for (const [key, { state, startedAt }] of rowsOf<Alert>(before, "alert")) {
    if (state !== "firing" || !key.includes("SwapActive")) continue;
    const now = alerts.get(key);
    if (now?.state !== "firing" || now.startedAt !== startedAt)
      broken.push(`${key} fired since ${startedAt}, and is ${now?.state} since ${now?.startedAt}`);
  }
  return broken;
}

/** The swaps whose alert does not fire. */
export function unseen(picture: JournalPicture, senders: readonly string[]): string[] {
  const firing = [...rowsOf<Alert>(picture, "alert").values()].filter(
    ({ rule, state }) => rule === "SwapActive" && state === "firing",
  );
  return firing.length === senders.length
    ? []
    : [`${firing.length} of ${senders.length} swaps fire at the end`];
}

/** The most requests beyond the rate, in any stretch of the aggregator's log. */
export function mostBeyond(log: readonly Request[], perSecond: number): number {
  let most = 0;
  let least = Infinity;
  for (const [index, { at }] of log.entries()) {
    const line = index - (perSecond * at) / 1_000;
    least = Math.min(least, line);
    most = Math.max(most, line - least);
  }
  return Math.round(most);
}
