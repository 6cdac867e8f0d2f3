import { fail, succeed, type Result } from "../../domain/result.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { DatabaseAway, type Database } from "../../io/postgres/database.ts";
import { dealRows } from "../../io/postgres/deal.ts";
import { migrate } from "../../io/postgres/schema.ts";
import { pause } from "../../io/process/pause.ts";
import { NOTHING_MORE } from "../../record/entry.ts";
import { RefusedStart } from "../service/running.ts";
import { noDatabase } from "./standby-view.ts";

/** A database with the schema of this version and each row in its unit, or one that will be so once it answers. */
type PreparedDatabase = {
  /** Other connections to it: until it is prepared, every question is answered with the reason why it is not. */
  readonly guarded: (database: Database) => Database;
  /** Resolves if its first answer is a problem that waiting cannot solve. */
  readonly refused: Promise<RefusedStart>;
  readonly stop: () => void;
};

/** Why it cannot be used. A lasting problem needs a person. */
type Unprepared = {
  readonly detail: string;
  readonly isLasting: boolean;
  /** The database itself said so, or no answer came. */
  readonly isOfDatabase: boolean;
};

/** How long until it is asked again if it did not answer. */
const TRIED_EVERY: Millis = SECOND;

/**
 * The problem is one that only a person can solve: a password, a database that does not exist, a newer schema. If the
 * database does not answer (yet), this waits for it; meanwhile the replica says that it has none.
 */
export async function prepareDatabase(
  database: Database,
  shards: number,
): Promise<Result<PreparedDatabase, string>> {
  const ending = new AbortController();
  const refused = Promise.withResolvers<RefusedStart>();
  const first = await prepare(database, shards);
  if (!first.ok && first.problem.isLasting) return fail(startProblem(first.problem));
  let problem = first.ok ? undefined : first.problem.detail;

  async function prepareLater(): Promise<void> {
    while (problem !== undefined) {
      await pause(TRIED_EVERY, ending.signal);
      if (ending.signal.aborted) return;
      const done = await prepare(database, shards);
      if (!done.ok && done.problem.isLasting)
        return refused.resolve(new RefusedStart(startProblem(done.problem)));
      problem = done.ok ? undefined : done.problem.detail;
    }
  }
  void prepareLater();
  return succeed({
    guarded: (asked) => guarded(asked, () => problem),
    refused: refused.promise,
    stop: () => ending.abort(),
  });
}

async function prepare(database: Database, shards: number): Promise<Result<void, Unprepared>> {
  // If the database did all that it was asked for, a refusal is final.
  let isLasting = true;
  let isOfDatabase = false;
  const transaction: Database["transaction"] = async (work) => {
    const done = await database.transaction(work);
    isLasting = done.ok || done.problem.isLasting === true;
    isOfDatabase = !done.ok;
    return done;
  };
  const made = await migrate({ transaction });
  const done = made.ok ? await dealRows({ transaction }, shards, NOTHING_MORE) : made;
  return done.ok ? done : fail({ detail: done.problem, isLasting, isOfDatabase });
}

function startProblem({ detail, isOfDatabase }: Unprepared): string {
  return isOfDatabase ? noDatabase(detail) : detail;
}

function guarded(database: Database, problem: () => string | undefined): Database {
  return {
    query: async (sql, values) => {
      const detail = problem();
      if (detail !== undefined) throw new DatabaseAway(detail);
      return await database.query(sql, values);
    },
    transaction: async (work) => {
      const detail = problem();
      if (detail !== undefined) return fail({ kind: "unavailable", detail });
      return await database.transaction(work);
    },
    close: database.close,
  };
}
