import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Alert } from "../../src/domain/alert.ts";
import { isSettled, type Remediation } from "../../src/domain/remediation.ts";
import {
  chance,
  nextRandom,
  pick,
  seedRandom,
  type RandomState,
} from "../../src/simulator/model/random.ts";
import { startKillAggregator, type KillAggregator } from "./aggregator.ts";
import { auditSending, brokenMemories, rowsOf } from "./audit.ts";
import { BOUNDARIES, type Boundary, type KillPhase } from "./boundaries.ts";
import { brokenFile, pictureOf, startLife, type JournalPicture, type Life } from "./house.ts";
import { killOnce, type Killing } from "./kill-once.ts";
import { BUDGETS, homeIn, PAIRS, VICTIMS, WITNESS } from "./killed-home.ts";
import { startKillReceiver, untold, type KillReceiver } from "./receiver.ts";

/**
 * Kills a real daemon again and again, at random instants and at every boundary, at work, while it starts, migrates
 * its journal or ends, while exchanges and pairs are being disabled; then lets it finish, and holds its journal
 * against the aggregator's own request log, and against what a receiver of notifications heard.
 */
export type KillFigures = {
  readonly kills: number;
  /** How often it died at each boundary, by name. */
  readonly byBoundary: Readonly<Record<string, number>>;
  readonly byPhase: Readonly<Partial<Record<KillPhase, PhaseFigures>>>;
  readonly disabled: number;
  /** Requests that act, as the aggregator received them. */
  readonly actionsSent: number;
  /** Remediations in the journal. Some were never sent: the daemon died before that. */
  readonly requested: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly duplicates: readonly string[];
  /** What stays disabled, and nothing says why. */
  readonly lost: readonly string[];
  /** Alerts whose last word never came to the receiver. */
  readonly untold: readonly string[];
  readonly outsideBudget: readonly string[];
  /** First-seen instants, alerts and settled remediations that a kill changed; daemons that did not start. */
  readonly broken: readonly string[];
  readonly seconds: number;
};

/** How often it was killed in a phase, or ended before that, and what those lives had sent. */
type PhaseFigures = { readonly kills: number; readonly sent: number };

export type KillOptions = {
  readonly kills: number;
  readonly seed: number;
  readonly boundaries?: readonly Boundary[];
  readonly say?: (line: string) => void;
};

/** Attempts have doubling cooldowns: 2, 4, 8, 16 and 32 seconds at the most. */
const LONGEST_END_MS = 90_000;

type Loop = Killing & {
  readonly receiver: KillReceiver;
  picture: JournalPicture;
  disabled: number;
  readonly byBoundary: Record<string, number>;
  readonly byPhase: Partial<Record<KillPhase, PhaseFigures>>;
};

const ACT_KEY = "its-own-key";

export async function runKillLoop(options: KillOptions): Promise<KillFigures> {
  const startedAt = performance.now();
  const aggregator = await startKillAggregator(ACT_KEY);
  const receiver = await startKillReceiver();
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-kills-"));
  try {
    const loop: Loop = {
      aggregator,
      receiver,
      home: homeIn(directory, aggregator.url),
      env: { ACT_KEY, HOOK_URL: receiver.url },
      random: seedRandom(options.seed),
      picture: { rows: [], findings: [] },
      disabled: 0,
      byBoundary: {},
      byPhase: {},
      broken: [],
    };
    aggregator.disableExchange(WITNESS);
    const plan = planOf(loop.random, options.boundaries ?? BOUNDARIES, options.kills);
    for (const [index, boundary] of plan.entries()) {
      breakSomething(loop, index);
      const sentBefore = sentTo(aggregator);
      const died = await killOnce(loop, boundary);
      loop.byBoundary[died] = (loop.byBoundary[died] ?? 0) + 1;
      const { kills, sent } = loop.byPhase[boundary.phase] ?? { kills: 0, sent: 0 };
      const more = sentTo(aggregator) - sentBefore;
      loop.byPhase[boundary.phase] = { kills: kills + 1, sent: sent + more };
      look(loop);
      options.say?.(`${index + 1} of ${options.kills}: ${died}`);
    }
    await finish(loop);
    look(loop);
    return figuresOf(loop, options.kills, (performance.now() - startedAt) / 1_000);
  } finally {
    await Promise.all([aggregator.close(), receiver.close()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

const sentTo = ({ log }: KillAggregator): number =>
  log.filter(({ method }) => method !== "GET").length;

/** Every boundary comes before any comes again, in an order of its own each time. */
function planOf(random: RandomState, boundaries: readonly Boundary[], kills: number): Boundary[] {
  const plan: Boundary[] = [];
  while (plan.length < kills) {
    const marked = boundaries.map((boundary) => ({ boundary, mark: nextRandom(random) }));
    marked.sort((one, other) => one.mark - other.mark);
    plan.push(...marked.map(({ boundary }) => boundary));
  }
  return plan.slice(0, kills);
}

/** One exchange or pair for each life; now and then so many at once that the budget is spent. */
function breakSomething(loop: Loop, index: number): void {
  const { aggregator, random } = loop;
  const all = index % 12 === 11 ? VICTIMS : [];
  const one = pick(random, VICTIMS) ?? "BINANCE";
  const pair = all.length === 0 && chance(random, 0.3) ? pick(random, PAIRS) : undefined;
  if (pair !== undefined) aggregator.disablePair(pair.exchange, pair.pair);
  else for (const name of all.length === 0 ? [one] : all) aggregator.disableExchange(name);
  loop.disabled += Math.max(1, all.length);
}

/** Reads what the last life left, and holds it against what the one before had left. */
function look(loop: Loop): void {
  const damage = brokenFile(loop.home);
  loop.broken.push(...damage);
  // Nothing can be read of it, so there is nothing to compare.
  if (damage.length > 0) return;
  const picture = pictureOf(loop.home);
  loop.broken.push(...brokenMemories(loop.picture, picture, `exchange/${WITNESS}`));
  loop.picture = picture;
}

/** The last life is not killed: it repairs what is left, and settles what is open. */
async function finish(loop: Loop): Promise<void> {
  const { aggregator, receiver, home, env } = loop;
  const life = startLife(home, undefined, env, () => undefined);
  const deadline = performance.now() + LONGEST_END_MS;
  while (performance.now() < deadline && (await nextReading(aggregator, life))) {
    if (stillDisabled(loop).length > 0) continue;
    const picture = pictureOf(home);
    const open = [...rowsOf<Remediation>(picture, "remediation").values()];
    if (open.every(isSettled) && untold(picture, receiver.lastWords).length === 0) break;
  }
  aggregator.hear = () => undefined;
  life.process.kill("SIGTERM");
  const ended = await life.ended;
  if (ended !== 0) loop.broken.push(`the last one ended with ${ended}: ${life.errors()}`);
}

/** False where the daemon ended instead. */
function nextReading(aggregator: KillAggregator, life: Life): Promise<boolean> {
  const read = new Promise<boolean>((resolve) => {
    aggregator.hear = (phase, { method, path }) => {
      if (phase === "answered" && method === "GET" && path.endsWith("/disabled")) resolve(true);
    };
  });
  return Promise.race([read, life.ended.then(() => false)]);
}

/** Exchanges, and pairs as `EXCHANGE/PAIR`, without the witness. */
function stillDisabled({ aggregator }: Loop): readonly string[] {
  return aggregator.disabled().filter((name) => name !== WITNESS);
}

const EXCUSES: ReadonlySet<string> = new Set(["attempts", "budget", "cooldown"]);

function figuresOf(loop: Loop, kills: number, seconds: number): KillFigures {
  const { picture, aggregator, receiver } = loop;
  const alerts = [...rowsOf<Alert>(picture, "alert").values()];
  const lost = stillDisabled(loop).filter(
    (id) =>
      !alerts.some(
        ({ entity, suppressed }) => entity.id === id && EXCUSES.has(suppressed?.reason ?? ""),
      ),
  );
  const byState: Record<string, number> = {};
  for (const { state } of rowsOf<Remediation>(picture, "remediation").values()) {
    byState[state] = (byState[state] ?? 0) + 1;
  }
  const { sent, requested, duplicates, outsideBudget } = auditSending(
    aggregator.log,
    picture,
    BUDGETS,
  );
  return {
    kills,
    byBoundary: loop.byBoundary,
    byPhase: loop.byPhase,
    disabled: loop.disabled,
    actionsSent: sent,
    requested,
    byState,
    duplicates,
    lost,
    untold: untold(picture, receiver.lastWords),
    outsideBudget,
    broken: loop.broken,
    seconds: Math.round(seconds),
  };
}
