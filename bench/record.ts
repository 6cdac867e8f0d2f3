import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { SeenEntity } from "../src/domain/entity.ts";
import type { Event, StepResult } from "../src/domain/step.ts";
import { DAY, SECOND } from "../src/domain/time.ts";
import { openJournal } from "../src/io/journal/journal.ts";
import { packPage, type StoredPage } from "../src/io/journal/record-pages.ts";
import { kinds } from "../src/pollers/kinds.ts";
import { rebuild } from "../src/record/rebuild.ts";
import { toEnd } from "../src/domain/slices.ts";
import { createRecorder } from "../src/record/recorder.ts";
import { landmarksOf } from "../src/backtest/landmarks.ts";
import { replay } from "../src/backtest/replay.ts";
import { compare, type Rounds } from "./measure.ts";
import { AGGREGATOR, populate, pollsOf, START, type Population } from "./population.ts";
import { grouped, milliseconds, significant, timesOf, type Row } from "./table.ts";
import { shippedPolicy } from "./watched.ts";

/** A fleet that is polled every 30 seconds; every tenth poll, 1 % of the entities differ. */
const EVERY = 30 * SECOND;
const CHANGED_EACH = 10;
const BAD = 0.01;

const NOTHING: StepResult = { changes: [], effects: [], findings: [] };
const WATCHED = [
  {
    name: AGGREGATOR,
    pollers: ["exchanges", "pools", "swaps"].map((name) => ({
      name,
      intervalMs: EVERY,
      staleAfterMs: 3 * EVERY,
    })),
  },
];

/** What so many days of the fleet come to, as pages. */
function recordDays(size: number, days: number): readonly StoredPage[] {
  const recorder = createRecorder(() => WATCHED);
  const pages: StoredPage[] = [];
  const note = (event: Event, at: number): void => {
    toEnd(recorder.note(event, at, NOTHING));
    for (const page of recorder.due(at)) pages.push({ ...page, seq: pages.length + 1 });
    recorder.written();
  };
  const usual = populate({ size, badShare: BAD });
  const other = populate({ size, badShare: BAD, changed: true });
  note({ type: "started" }, START);
  let poll = 0;
  for (let at = START + EVERY; at <= START + days * DAY; at += EVERY) {
    poll += 1;
    const seen: Population = Math.floor(poll / CHANGED_EACH) % 2 === 0 ? usual : other;
    for (const [index, event] of pollsOf(seen, at).entries()) note(event, at + 40 + index);
  }
  for (const page of recorder.due(START + days * DAY, "all")) {
    pages.push({ ...page, seq: pages.length + 1 });
  }
  return pages;
}

/** How much disk a day takes, and what a commit costs with a page of a minute, beside one without. */
export async function benchRecord(size: number, commits: number, rounds: Rounds): Promise<Row[]> {
  const pages = recordDays(size, 1);
  const bytes = pages.reduce((sum, { body }) => sum + packPage(body).length, 0);
  const listings = [...populate({ size, badShare: BAD }).listings.values()];
  const whole = bytesOf(listings.flatMap((surfaces) => [...surfaces.values()].flat()));
  const polls = DAY / EVERY;
  return [
    {
      name: "record: a day on disk",
      size,
      ours: `${grouped(bytes / 1_000)} kB`,
      baseline: `${grouped((whole * polls) / 1_000)} kB`,
      ratio: bytes / (whole * polls),
      note: `${grouped(pages.length)} pages; the baseline is every listing as JSON`,
    },
    await benchCommit(pages, size, commits, rounds),
  ];
}

function bytesOf(entities: readonly SeenEntity[]): number {
  return JSON.stringify(entities).length;
}

async function benchCommit(
  pages: readonly StoredPage[],
  size: number,
  commits: number,
  rounds: Rounds,
): Promise<Row> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  const open = (name: string) => {
    const opened = openJournal(join(directory, name));
    if (!opened.ok) throw new Error(opened.problem);
    return opened.value;
  };
  const [ours, bare] = [open("ours"), open("bare")];
  try {
    let turn = 0;
    // A row that stays as it is would not be written at all.
    const changes = () => [{ table: "counter", key: "at", value: START + turn }] as const;
    const compared = await compare(rounds, {
      turns: commits,
      prepare: () => void (turn += 1),
      ours: () => {
        const page = pages[turn % pages.length];
        const due = page === undefined ? [] : [page];
        ours.commit({ at: START, changes: changes(), findings: [], pages: due });
      },
      baseline: () => void bare.commit({ at: START, changes: changes(), findings: [] }),
    });
    return {
      name: "record: commit with a page",
      size,
      ...timesOf(compared),
      note: "the baseline is the same commit without it",
    };
  } finally {
    ours.close();
    bare.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** How long a replay takes, beside one that takes every tick, of a hundredth of the time. */
export async function benchBacktest(size: number, days: number, rounds: Rounds): Promise<Row[]> {
  const month = recordDays(size, days);
  const part = recordDays(size, days / 100);
  const { oursMs, baselineMs, ratio } = await compare(rounds, {
    ours: () => void replayAll(part, "needed"),
    baseline: () => void replayAll(part, "all"),
  });
  const from = performance.now();
  const { polls, steps } = replayAll(month, "needed");
  const wholeMs = performance.now() - from;
  return [
    {
      name: "backtest: replay",
      size,
      ours: milliseconds(oursMs),
      baseline: milliseconds(baselineMs),
      ratio,
      note: `${significant(days)} days at once: ${significant(wholeMs / SECOND)} s, ${grouped(polls)} polls, ${grouped(steps)} steps; the baseline takes every tick`,
    },
  ];
}

function replayAll(pages: readonly StoredPage[], ticks: "needed" | "all") {
  return toEnd(
    replay({
      policy: shippedPolicy(),
      record: rebuild(pages, kinds, () => {}),
      landmarks: toEnd(landmarksOf(rebuild(pages, kinds, () => {}, "marks"))),
      ticks,
      onFinding: () => {},
      onDivergence: () => {},
    }),
  );
}
