import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Alert } from "../../src/domain/alert.ts";
import { isSettled, type Remediation } from "../../src/domain/remediation.ts";
import { openDatabase, type Database } from "../../src/io/postgres/database.ts";
import { postgresJournal } from "../../src/io/postgres/journal.ts";
import { HOME } from "../../src/domain/lease.ts";
import { chance, nextRandom, pick, seedRandom } from "../../src/simulator/model/random.ts";
import { startPostgres } from "../io/postgres/server.ts";
import { startKillAggregator } from "../kill/aggregator.ts";
import { auditSending, brokenMemories, rowsOf } from "../kill/audit.ts";
import type { JournalPicture } from "../kill/house.ts";
import {
  BUDGETS,
  PAIRS,
  REQUESTS_PER_SECOND,
  SENDERS,
  VICTIMS,
  WITNESS,
} from "../kill/killed-home.ts";
import { startKillReceiver, untold } from "../kill/receiver.ts";
import { FAULTS, type ChaosWorld, type Fault } from "./faults.ts";
import { isWatching, startReplicas } from "./replicas.ts";
import { brokenUnits, mostBeyond, pictureOfUnits, unseen } from "./units.ts";

/**
 * Strikes two real replicas on one real database again and again, while exchanges and pairs are being disabled; then
 * lets them finish, and holds the journal against the aggregator's own request log, and against what a receiver heard.
 */
export type ChaosFigures = {
  readonly faults: number;
  readonly byFault: Readonly<Record<string, number>>;
  readonly disabled: number;
  readonly actionsSent: number;
  readonly requested: number;
  readonly duplicates: readonly string[];
  readonly lost: readonly string[];
  readonly untold: readonly string[];
  readonly outsideBudget: readonly string[];
  readonly broken: readonly string[];
  /** With shards: the most requests beyond the rate, in any stretch of the aggregator's log. */
  readonly beyondRate?: number;
  /** Of each take-over, from the fault to the other's word that it acts, by fault; milliseconds. */
  readonly takeOverMs: Readonly<Record<string, readonly number[]>>;
  readonly seconds: number;
};

export type ChaosOptions = {
  readonly faults: number;
  readonly seed: number;
  readonly leaseMs: number;
  readonly only?: readonly string[];
  /** Over so many units the replicas spread senders; none are watched if it is left out. */
  readonly shards?: number;
  readonly say?: (line: string) => void;
};

const ACT_KEY = "its-own-key";
const LONGEST_END_MS = 60_000;
const EXCUSES: ReadonlySet<string> = new Set(["attempts", "budget", "cooldown"]);
/** Longer than any time-out of the database, and than a lease. */
const LONGEST_TAKE_OVER_MS = 60_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosFigures> {
  const startedAt = performance.now();
  const server = await startPostgres();
  const aggregator = await startKillAggregator(ACT_KEY);
  const receiver = await startKillReceiver();
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-chaos-"));
  const url = new URL(await server.makeDatabase());
  const database = await openDatabase(url.href);
  const { shards = 0 } = options;
  const senders = shards === 0 ? [] : SENDERS;
  const replicas = await startReplicas(["a", "b"], {
    directory,
    senders,
    aggregatorUrl: aggregator.url,
    databasePort: server.port,
    databaseName: url.pathname.slice(1),
    leaseMs: options.leaseMs,
    // After a database that was away, acting grows slowly: here, not by the minute.
    env: {
      ACT_KEY,
      HOOK_URL: receiver.url,
      AGGWATCH_ACTIONS_RAMP_INTERVAL: "1s",
      AGGWATCH_JOURNAL_SHARDS: String(shards),
    },
  });
  try {
    const world = { replicas, server, aggregator };
    const random = seedRandom(options.seed);
    const takeOverMs: Record<string, number[]> = {};
    const byFault: Record<string, number> = {};
    const broken: string[] = [];
    let picture: JournalPicture = { rows: [], findings: [] };
    let ofUnits = picture;
    let disabled = 0;
    aggregator.disableExchange(WITNESS);
    await replicas.nextActing();
    const known = FAULTS.filter(({ name }) => options.only?.includes(name) ?? true);
    const plan: Fault[] = [];
    while (plan.length < options.faults)
      plan.push(...known.toSorted(() => nextRandom(random) - 0.5));
    for (const [index, fault] of plan.slice(0, options.faults).entries()) {
      const pair = chance(random, 0.3) ? pick(random, PAIRS) : undefined;
      if (pair === undefined) aggregator.disableExchange(pick(random, VICTIMS) ?? "BINANCE");
      else aggregator.disablePair(pair.exchange, pair.pair);
      disabled += 1;
      const took = await strike(world, fault);
      if (took !== undefined) (takeOverMs[fault.name] ??= []).push(took);
      if (took === undefined && fault.isTakeOver) broken.push(`nobody took over: ${fault.name}`);
      byFault[fault.name] = (byFault[fault.name] ?? 0) + 1;
      const next = await pictureOf(database);
      broken.push(...brokenMemories(picture, next, `exchange/${WITNESS}`));
      picture = next;
      const nextOfUnits = await read(async () => await pictureOfUnits(database, shards));
      broken.push(...brokenUnits(ofUnits, nextOfUnits));
      ofUnits = nextOfUnits;
      options.say?.(`${index + 1} of ${options.faults}: ${fault.name} ${took ?? ""}`);
    }
    const excused = (one: string): boolean => excuse(picture, one);
    const open = async (): Promise<boolean> => {
      picture = await pictureOf(database);
      ofUnits = await read(async () => await pictureOfUnits(database, shards));
      const remediations = [...rowsOf<Remediation>(picture, "remediation").values()];
      return (
        aggregator.disabled().some((name) => name !== WITNESS) ||
        !remediations.every(isSettled) ||
        untold(picture, receiver.lastWords).length > 0 ||
        untold(ofUnits, receiver.lastWords).length > 0 ||
        unseen(ofUnits, senders).length > 0
      );
    };
    const deadline = performance.now() + LONGEST_END_MS;
    while (performance.now() < deadline && (await open())) await nextReading(aggregator);
    return {
      faults: options.faults,
      byFault,
      disabled,
      ...figuresOf(auditSending(aggregator.log, picture, BUDGETS)),
      lost: aggregator
        .disabled()
        .filter((name) => name !== WITNESS && !excused(name))
        .map((name) => `${name}: ${whatIsKnownOf(picture, name)}`),
      untold: [picture, ofUnits].flatMap((one) => untold(one, receiver.lastWords)),
      broken: [...broken, ...replicas.broken, ...unseen(ofUnits, senders)],
      ...(shards > 0 && { beyondRate: mostBeyond(aggregator.log, REQUESTS_PER_SECOND) }),
      takeOverMs,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
    };
  } finally {
    await replicas.close();
    await database.close();
    await Promise.all([aggregator.close(), receiver.close()]);
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function figuresOf({ sent, ...rest }: ReturnType<typeof auditSending>) {
  return { actionsSent: sent, ...rest };
}

/** Undefined if no take-over came of it. */
async function strike(world: ChaosWorld, fault: Fault): Promise<number | undefined> {
  const { replicas, aggregator } = world;
  const owner = replicas.owner() ?? (await nextOwner(world));
  // Who has just been started again cannot take over yet.
  while (!replicas.all().every(({ life }) => isWatching(life))) await nextReading(aggregator);
  const acting = replicas.nextActing();
  const mend = await fault.strike(world, owner);
  const struckAt = performance.now();
  let tookMs: number | undefined;
  if (fault.isTakeOver) {
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, LONGEST_TAKE_OVER_MS, undefined).unref();
    });
    const name = await Promise.race([acting, late]);
    if (name !== undefined) tookMs = Math.round(performance.now() - struckAt);
  }
  await mend();
  await nextReading(aggregator);
  return tookMs;
}

async function nextOwner({ replicas }: ChaosWorld) {
  for (;;) {
    await replicas.nextActing();
    const owner = replicas.owner();
    if (owner !== undefined) return owner;
  }
}

/** Somebody reads: the world goes on. */
async function nextReading(aggregator: ChaosWorld["aggregator"]): Promise<void> {
  await new Promise<void>((resolve) => {
    aggregator.hear = (phase, { method, path }) => {
      if (phase === "answered" && method === "GET" && path.endsWith("/disabled")) resolve();
    };
  });
  aggregator.hear = () => undefined;
}

function excuse(picture: JournalPicture, id: string): boolean {
  const alerts = [...rowsOf<Alert>(picture, "alert").values()];
  return alerts.some(
    ({ entity, suppressed }) => entity.id === id && EXCUSES.has(suppressed?.reason ?? ""),
  );
}

function whatIsKnownOf(picture: JournalPicture, id: string): string {
  const about = picture.rows.filter(({ key }) => key.endsWith(`/${id}`));
  return JSON.stringify(about.map(({ table, value }) => ({ table, value })));
}

async function pictureOf(database: Database): Promise<JournalPicture> {
  const { rows } = await read(async () => await postgresJournal(database, HOME).read());
  return { rows, findings: [] };
}

/** As soon as the database can be used. */
async function read<Value>(ask: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
