import type { TestContext } from "vitest";
import { makeHome, startDaemon, type Daemon, type Home, type LogLine } from "./daemon.ts";
import { withPeople } from "./people.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

/** Two replicas on one database. */

export type Replica = Daemon & { readonly home: Home };

type PairOptions = {
  /** How the one that acts reaches the database, if not like the other. */
  readonly databaseOfA?: string;
  /** What their aggregator's settings say besides. */
  readonly watch?: string;
  readonly rules?: string;
  /** Of the one that stands by. */
  readonly envOfB?: Readonly<Record<string, string>>;
};

type ReplicaWorld = Pick<PairOptions, "watch" | "rules"> & {
  readonly env?: Readonly<Record<string, string>>;
  readonly database: string;
  readonly aggregator: string;
};

/** A replica with a home of its own, on a database that it shares with others. */
async function startReplica(
  context: TestContext,
  name: string,
  { database, aggregator, watch, rules = QUICK_RULES, env: more }: ReplicaWorld,
): Promise<Replica> {
  const own = `journal: { postgres: { replica: ${name}, lease: 3s } }\n`;
  const config =
    quickConfig({
      timeout: "2s",
      url: aggregator,
      mode: "act",
      ...(watch === undefined ? {} : { watch }),
    }) + own;
  const home = makeHome(context, config, rules);
  withPeople(home, config);
  const env = { ...ACT_KEY, AGGWATCH_DATABASE_URL: database, ...more };
  return { ...(await startDaemon(context, home, env)), home };
}

export const isActing = (line: LogLine): boolean => line["msg"] === "acting";

/** One that acts, and one that stands by. */
export async function startPair(
  context: TestContext,
  database: string,
  aggregator: string,
  { databaseOfA = database, envOfB = {}, ...own }: PairOptions = {},
): Promise<{ readonly a: Replica; readonly b: Replica }> {
  const a = await startReplica(context, "a", { database: databaseOfA, aggregator, ...own });
  await a.line(isActing);
  const b = await startReplica(context, "b", { database, aggregator, env: envOfB, ...own });
  return { a, b };
}
