/** Tests src/run/watchdog.ts: what a start makes of the journal in its data directory. */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { entityKey } from "../../../src/domain/entity.ts";
import { surfaceKey } from "../../../src/domain/observation.ts";
import type { Change } from "../../../src/domain/step.ts";
import { DAY, HOUR } from "../../../src/domain/time.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { COMMITS_PER_PRUNING } from "../../../src/io/journal/retention.ts";
import type { JournalRecord } from "../../../src/io/journal/rows.ts";
import { steadyNow } from "../../../src/io/process/clock.ts";
import { createLog } from "../../../src/io/process/log.ts";
import type { WatchdogSetup } from "../../../src/run/setup.ts";
import { startWatchdog } from "../../../src/run/watchdog.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, watchdogSetup } from "../watchdog-setup.ts";
import { startedWatchdog } from "./started-watchdog.ts";

type Line = Readonly<Record<string, unknown>>;

/** A daemon that polls nothing, on a journal that holds this already. */
function made(
  record: Partial<JournalRecord>,
  onLine: (line: Line) => void = () => undefined,
): WatchdogSetup {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const journal = openJournal(path);
  if (!journal.ok) throw new Error(journal.problem);
  const at = Date.now() - 3 * DAY;
  expect(journal.value.commit({ at, changes: [], findings: [], ...record })).toMatchObject({
    ok: true,
  });
  journal.value.close();
  const log = createLog({ level: "info", format: "json" }, { isTerminal: false }, (line) =>
    onLine(JSON.parse(line) as Line),
  );
  return watchdogSetup(path, [aggregatorSetup("http://127.0.0.1:1", { pollers: [] })], { log });
}

const AT = Date.UTC(2026, 0, 1);

/** Many are read in several slices. */
function entities(count: number): Change[] {
  return Array.from({ length: count }, (_, index) => {
    const id = { aggregator: "bsc", kind: "exchange", id: `E${index}` };
    const surface = surfaceKey("bsc", "exchanges", "all");
    const facts = { name: id.id, status: "enabled", listed: true };
    const value = { ...id, surface, facts, firstSeen: AT, since: AT };
    return { table: "entity", key: entityKey(id), value };
  });
}

it("listens before it reads the journal", async () => {
  const said: unknown[] = [];
  const setup = made({ changes: entities(1) }, ({ msg }) => void said.push(msg));
  const file = join(setup.settings.data, JOURNAL_FILE);
  const database = new DatabaseSync(file);
  database.exec("UPDATE state SET value = 'x'");
  database.close();
  const problem = expect.stringContaining(`${file} is damaged`);
  expect(await startWatchdog(setup)).toMatchObject({ ok: false, problem });
  expect(said).toEqual(["restoring the journal"]);
});

it("is guarded while it reads the journal, and from its end on", async () => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stop = (): Promise<void> => Promise.resolve();
  const beat = vi.fn(() => stopping.abort(new Error("beaten")));
  const guard = { beat, stop };
  const large = made({ changes: entities(5_000) });
  expect(await startWatchdog(large, { guard, signal })).toEqual({ ok: false, problem: "beaten" });
  beat.mockClear();
  await startedWatchdog(made({}), { guard });
  expect(beat).toHaveBeenCalled();
});

it("counts its bytes, and says that it is sound once it is checked", async () => {
  const sound = Promise.withResolvers<void>();
  const setup = made({}, ({ msg }) => {
    if (msg === "the journal is sound") sound.resolve();
  });
  const { url, loop } = await startedWatchdog(setup);
  expect(loop().state().journalUnchecked).toBe(true);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^aggwatch_journal_size_bytes [1-9]/m);
  await sound.promise;
  await loop().caughtUp();
  expect(loop().state().journalUnchecked).toBe(false);
});

it("deletes of the record what is older than its settings keep", async () => {
  const page = (daysAgo: number) => {
    const at = Date.now() - daysAgo * DAY;
    return { at, until: at, whole: true, body: "[[0,0,0]]" };
  };
  const setup = made({ pages: [page(3), page(2)] });
  const { settings } = setup;
  const record = { ...settings.record, retentionMs: HOUR };
  const { loop, stop } = await startedWatchdog({ ...setup, settings: { ...settings, record } });
  await loop().caughtUp();
  for (let commit = 0; commit < COMMITS_PER_PRUNING; commit += 1) {
    const command = { name: commit % 2 === 0 ? "kill" : "unkill", source: "operator" } as const;
    loop().push({ type: "command", by: "alice", reason: "a test", command });
  }
  await loop().caughtUp();
  await stop();
  const database = new DatabaseSync(join(settings.data, JOURNAL_FILE), { readOnly: true });
  onTestFinished(() => database.close());
  const oldest = database.prepare("SELECT min(at) AS at FROM record").get();
  expect(Number(oldest?.["at"])).toBeGreaterThan(Date.now() - 2.5 * DAY);
});

it("goes on from the time of its journal, though the host's clock is behind that", async () => {
  const at = Date.now() + HOUR;
  const setup = made({ changes: [{ table: "counter", key: "at", value: at }] });
  const { loop } = await startedWatchdog(setup);
  const { startedAt } = loop().state();
  expect(startedAt).toBeGreaterThanOrEqual(at);
  // oxlint-disable-next-line no-await-in-loop -- until so much time has passed
  for (const began = steadyNow(); steadyNow() - began < 5;) await setImmediate();
  loop().push({ type: "tick" });
  expect(loop().state().at).toBeGreaterThan(startedAt);
});
