import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
import type { Home } from "../acceptance/daemon.ts";
import { auditSending, brokenMemories, rowsOf, type Budget } from "./audit.ts";
import { BOUNDARIES, type Boundary } from "./boundaries.ts";
import {
  pictureOf,
  startHearingAggregator,
  startLife,
  type HearingAggregator,
  type JournalPicture,
  type Life,
} from "./house.ts";

/**
 * Kills a real daemon again and again, at random instants and at every boundary, while exchanges and
 * pairs are being disabled; then lets it finish, and holds its journal against the aggregator's own
 * request log.
 */
export type KillFigures = {
  readonly kills: number;
  /** How often it died at each boundary, by name. */
  readonly byBoundary: Readonly<Record<string, number>>;
  readonly disabled: number;
  /** Requests that act, as the aggregator received them. */
  readonly actionsSent: number;
  /** Remediations in the journal. Some were never sent: the daemon died before that. */
  readonly requested: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly duplicates: readonly string[];
  /** What stays disabled, and nothing says why. */
  readonly lost: readonly string[];
  readonly outsideBudget: readonly string[];
  /** First-seen instants, alerts and settled remediations that a kill changed; daemons that did not start. */
  readonly broken: readonly string[];
  readonly seconds: number;
};

export type KillOptions = {
  readonly kills: number;
  readonly seed: number;
  readonly boundaries?: readonly Boundary[];
  readonly say?: (line: string) => void;
};

const BUDGETS = {
  ExchangeDisabled: { max: 4, perMs: 5_000 },
  PairDisabled: { max: 3, perMs: 5_000 },
  global: { max: 5, perMs: 5_000 },
} as const satisfies Record<string, Budget>;

/** It is disabled from the start to the end, and its rule does not act on it. */
const WITNESS = "CURVE";
const VICTIMS = ["BINANCE", "KUCOIN", "OKX", "ASCENDEX", "ORION_POOL", "PANCAKESWAP", "UNISWAP"];
const PAIRS = [
  { exchange: "BINANCE", pair: "ORN-USDT" },
  { exchange: "OKX", pair: "BTC-USDT" },
  { exchange: "UNISWAP", pair: "ETH-USDT" },
];

const acting = (action: string, { max, perMs }: Budget): string =>
  `{ action: ${action}, mode: act, cooldown: 1s, attempts: 6, verify_within: 2s, budget: { max: ${max}, per: ${perMs / 1_000}s }, storm: { max: 100, max_ratio: 1 }`;

const RULES = `
groups:
  - name: kills
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        act: ${acting("enable_exchange", BUDGETS.ExchangeDisabled)}, if: 'exchange.name != "${WITNESS}"' }
      - alert: PairDisabled
        each: pair
        when: pair.status == "disabled"
        act: ${acting("enable_pair", BUDGETS.PairDisabled)} }
`;

const configOf = (url: string): string => `
aggregators:
  - name: sim
    base_url: ${url}
    auth: { act: { type: header, name: X-API-KEY, value_env: ACT_KEY } }
    timeout: 2s
    retries: 0
    schedules: { exchanges: "* * * * * *", liquidations: off, pools: off, swaps: off }
actions:
  mode: act
  settle_after_start: 0s
  budget: { max: ${BUDGETS.global.max}, per: ${BUDGETS.global.perMs / 1_000}s }
  undo_window: 1s
  undo_limit: 100
log: { level: info, format: json }
`;

/**
 * A boundary that does not come is not waited for longer, counted from when the process watches; the kill then
 * counts as a random one. How long a process takes to start is the machine's matter.
 */
const LONGEST_LIFE_MS = 6_000;
const LONGEST_START_MS = 60_000;
/** Attempts have doubling cooldowns: 2, 4, 8, 16 and 32 seconds at the most. */
const LONGEST_END_MS = 90_000;

type Loop = {
  readonly aggregator: HearingAggregator;
  readonly home: Home;
  readonly random: RandomState;
  picture: JournalPicture;
  disabled: number;
  readonly byBoundary: Record<string, number>;
  readonly broken: string[];
};

export async function runKillLoop(options: KillOptions): Promise<KillFigures> {
  const startedAt = performance.now();
  const aggregator = await startHearingAggregator(options.seed);
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-kills-"));
  try {
    const loop: Loop = {
      aggregator,
      home: homeIn(directory, aggregator.url),
      random: seedRandom(options.seed),
      picture: { rows: [], findings: [] },
      disabled: 0,
      byBoundary: {},
      broken: [],
    };
    disable(loop, { do: "disable_exchange", exchange: WITNESS });
    const plan = planOf(loop.random, options.boundaries ?? BOUNDARIES, options.kills);
    for (const [index, boundary] of plan.entries()) {
      breakSomething(loop, index);
      const died = await killOnce(loop, boundary);
      loop.byBoundary[died] = (loop.byBoundary[died] ?? 0) + 1;
      look(loop);
      options.say?.(`${index + 1} of ${options.kills}: ${died}`);
    }
    await finish(loop);
    look(loop);
    return figuresOf(loop, options.kills, (performance.now() - startedAt) / 1_000);
  } finally {
    await aggregator.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function homeIn(directory: string, url: string): Home {
  const data = join(directory, "data");
  const home = {
    config: join(directory, "aggwatch.yaml"),
    rules: join(directory, "rules"),
    data,
    killFile: join(data, "KILL"),
  };
  mkdirSync(home.rules);
  writeFileSync(home.config, configOf(url));
  writeFileSync(join(home.rules, "rules.yaml"), RULES);
  return home;
}

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
  const count = index % 12 === 11 ? VICTIMS.length : 1;
  for (let done = 0; done < count; done += 1) {
    if (count === 1 && chance(loop.random, 0.3)) {
      const { exchange, pair } = pick(loop.random, PAIRS) ?? { exchange: "OKX", pair: "BTC-USDT" };
      disable(loop, { do: "disable_pair", exchange, pair });
    } else {
      const any = pick(loop.random, VICTIMS) ?? "BINANCE";
      const exchange = count === 1 ? any : (VICTIMS[done] ?? any);
      disable(loop, { do: "disable_exchange", exchange });
    }
  }
}

function disable(loop: Loop, command: object): void {
  const outcome = loop.aggregator.simulator.control(command);
  if (!outcome.ok) throw new Error(`${JSON.stringify(command)}: ${outcome.problem}`);
  loop.disabled += 1;
}

/** Gives the name of the boundary at which it died. */
async function killOnce(loop: Loop, boundary: Boundary): Promise<string> {
  const { aggregator, home, random } = loop;
  let died = "random instant";
  const isRandom = boundary.name === "random instant";
  let isTimedOut = false;
  const dieIn = (afterMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      isTimedOut = life.process.kill("SIGKILL");
    }, afterMs);
  let timer = dieIn(isRandom ? 200 + nextRandom(random) * 2_500 : LONGEST_START_MS);
  const life = startLife(home, boundary.dieAt, (line, { process: child }) => {
    if (line["msg"] === "watching" && !isRandom) {
      clearTimeout(timer);
      timer = dieIn(LONGEST_LIFE_MS);
    }
    const { line: wanted } = boundary;
    if (wanted === undefined || line["msg"] !== wanted.msg) return;
    if (wanted.state !== undefined && line["state"] !== wanted.state) return;
    if (child.kill("SIGKILL")) died = boundary.name;
  });
  let acted = false;
  aggregator.hear = (phase, request) => {
    const wanted = boundary.request;
    const fits = wanted?.phase === phase && wanted.method === request.method;
    if (fits && (wanted.afterAct !== true || acted) && life.process.kill("SIGKILL")) {
      died = boundary.name;
    }
    if (request.method === "POST") acted = true;
  };
  const ended = await life.ended;
  clearTimeout(timer);
  aggregator.hear = () => undefined;
  if (ended !== "SIGKILL") loop.broken.push(`it ended by itself: ${ended} ${life.errors()}`);
  return boundary.dieAt !== undefined && !isTimedOut ? boundary.name : died;
}

/** Reads what the last life left, and holds it against what the one before had left. */
function look(loop: Loop): void {
  const picture = pictureOf(loop.home);
  loop.broken.push(...brokenMemories(loop.picture, picture, `exchange/${WITNESS}`));
  loop.picture = picture;
}

/** The last life is not killed: it repairs what is left, and settles what is open. */
async function finish(loop: Loop): Promise<void> {
  const { aggregator, home } = loop;
  const life = startLife(home, undefined, () => undefined);
  const deadline = performance.now() + LONGEST_END_MS;
  while (performance.now() < deadline && (await nextReading(aggregator, life))) {
    if (stillDisabled(loop).length > 0) continue;
    const open = rowsOf<Remediation>(pictureOf(home), "remediation");
    if ([...open.values()].every(isSettled)) break;
  }
  aggregator.hear = () => undefined;
  life.process.kill("SIGTERM");
  const ended = await life.ended;
  if (ended !== 0) loop.broken.push(`the last one ended with ${ended}: ${life.errors()}`);
}

/** False where the daemon ended instead. */
function nextReading(aggregator: HearingAggregator, life: Life): Promise<boolean> {
  const read = new Promise<boolean>((resolve) => {
    aggregator.hear = (phase, { method, path }) => {
      if (phase === "answered" && method === "GET" && path.endsWith("/disabled")) resolve(true);
    };
  });
  return Promise.race([read, life.ended.then(() => false)]);
}

/** Exchanges, and pairs as `EXCHANGE/PAIR`, without the witness. */
function stillDisabled({ aggregator }: Loop): string[] {
  const { exchanges } = aggregator.simulator.snapshot() as {
    exchanges: Array<{ name: string; enabled: boolean; disabled_pairs: string[] }>;
  };
  return exchanges
    .filter(({ name }) => name !== WITNESS)
    .flatMap(({ name, enabled, disabled_pairs: pairs }) => [
      ...(enabled ? [] : [name]),
      ...pairs.map((pair) => `${name}/${pair}`),
    ]);
}

const EXCUSES: ReadonlySet<string> = new Set(["attempts", "budget", "cooldown"]);

function figuresOf(loop: Loop, kills: number, seconds: number): KillFigures {
  const { picture, aggregator } = loop;
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
    aggregator.simulator.requestLog(),
    picture,
    BUDGETS,
  );
  return {
    kills,
    byBoundary: loop.byBoundary,
    disabled: loop.disabled,
    actionsSent: sent,
    requested,
    byState,
    duplicates,
    lost,
    outsideBudget,
    broken: loop.broken,
    seconds: Math.round(seconds),
  };
}
