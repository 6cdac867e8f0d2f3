import { dirname } from "node:path";
import { fail, succeed } from "../../domain/result.ts";
import type { OtherUnits } from "../../core/explain/heartbeat.ts";
import { DAY } from "../../domain/time.ts";
import {
  backupFile,
  dropOldestBackups,
  dropUnfinished,
  roomProblem,
  type Backup,
} from "../../io/journal/backup.ts";
import { makeDirectory } from "../../io/journal/file.ts";
import { copyToFile } from "../../io/postgres/copy-to-file.ts";
import { storedBytes } from "../../io/postgres/inspect.ts";
import type { Database } from "../../io/postgres/database.ts";
import type { PostgresJournal } from "../../io/postgres/journal.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { ReplicaReading } from "../../io/metrics/definition.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { freeBytes } from "../../io/process/free-bytes.ts";
import type { Logger } from "../../io/process/log.ts";
import type { FailedReading } from "../reloading.ts";
import type { Sources, WatchdogSetup } from "../setup.ts";
import type { ServedWorld } from "../servers.ts";

/** What a replica has of one unit, in either role. */
export type SharedWorld = {
  readonly unit: string;
  /** What it is called, beside the others. */
  readonly name: string;
  /** Its name as the owner of a lease: no other process has it. */
  readonly owner: string;
  /** For whatever is shown, which readers may keep busy. */
  readonly database: Database;
  /** For leases, commits and commands alone. */
  readonly writer: Database;
  readonly journal: PostgresJournal;
  readonly log: Logger;
  readonly notDeleted: ServedWorld["notDeleted"];
  /** The settings and rules in force. */
  readonly current: () => {
    readonly setup: WatchdogSetup;
    readonly sources: Sources | undefined;
    readonly failed?: FailedReading | undefined;
  };
  /** What it is to the others, of this unit. */
  readonly reading: () => ReplicaReading;
  /** Makes what is served from what this unit alone would show. */
  readonly shown: (alone: ServerSource) => ServerSource;
  /** What the other units do, wherever; undefined if there are none. */
  readonly others?: (() => OtherUnits) | undefined;
};

/**
 * Copies what the database holds into a file in the directory `backups` of the data directory, unless that would take
 * more than half of the room there.
 */
export function backUpOf(
  { database, current }: Pick<SharedWorld, "database" | "current">,
  freeIn: (place: string) => number = freeBytes,
): ServedWorld["backUp"] {
  return async (at) => {
    const { data } = current().setup.settings;
    const file = backupFile(data, at, "replicas");
    try {
      makeDirectory(dirname(file));
      // Another backup may be in progress, and none takes a day.
      const cutOff = dropUnfinished(data, at - DAY, "replicas");
      const room = roomProblem(file, await storedBytes(database), freeIn);
      if (room !== undefined) return fail(room);
      const copied = await copyToFile(database, file);
      if (!copied.ok) return copied;
      const undeleted = [...cutOff, ...dropOldestBackups(data, at, "replicas")];
      const backup: Backup = { file, bytes: copied.value.bytes, undeleted };
      return succeed(backup);
    } catch (error) {
      return fail(`the backup ${file} could not be written: ${messageOf(error)}`);
    }
  };
}
