/** Tests src/run/watchdog.ts: a start, what ends it, and the guard of all that follows. */
import { expect, it, onTestFinished, vi } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { createLog } from "../../../src/io/process/log.ts";
import type { LoopGuard } from "../../../src/io/process/loop-guard.ts";
import { startWatchdog } from "../../../src/run/watchdog.ts";
import type { WatchdogSetup } from "../../../src/run/setup.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, silentLog, watchdogSetup } from "../watchdog-setup.ts";
import { startedWatchdog } from "./started-watchdog.ts";

/** A daemon that polls nothing. */
function idleSetup(log = silentLog()): WatchdogSetup {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return watchdogSetup(path, [aggregatorSetup("http://127.0.0.1:1", { pollers: [] })], { log });
}

it("notes each tick at the guard, and ends it before the ticks end", async () => {
  let beaten = Promise.withResolvers<void>();
  let stops = 0;
  let isEnded = false;
  const nextTick = async (): Promise<void> => {
    beaten = Promise.withResolvers();
    await beaten.promise;
  };
  const guard: LoopGuard = {
    beat: () => beaten.resolve(),
    stop: async () => {
      stops += 1;
      if (stops > 1) return;
      await nextTick();
      isEnded = true;
    },
  };
  const { stop } = await startedWatchdog(idleSetup(), { guard });
  await nextTick();
  await stop();
  expect(isEnded).toBe(true);
});

it("says what it is about to read, and ends there if it is to stop", async () => {
  const lines: Array<Readonly<Record<string, unknown>>> = [];
  const stopping = new AbortController();
  const log = createLog({ level: "info", format: "json" }, { isTerminal: false }, (line) => {
    const said = JSON.parse(line) as Readonly<Record<string, unknown>>;
    lines.push(said);
    if (said["msg"] === "restoring the journal") stopping.abort(new Error("SIGTERM"));
  });
  const setup = idleSetup(log);
  const { url, loop, stop } = await startedWatchdog(setup);
  await loop().caughtUp();
  await stop();
  expect(lines.splice(0)).toContainEqual(
    expect.objectContaining({ msg: "watching", url, mode: "act" }),
  );
  const { signal } = stopping;
  const guard = { beat: () => undefined, stop: vi.fn<LoopGuard["stop"]>() };
  expect(await startWatchdog(setup, { guard, signal })).toEqual({ ok: false, problem: "SIGTERM" });
  expect(guard.stop).toHaveBeenCalledOnce();
  expect(lines).toMatchObject([
    {
      msg: "restoring the journal",
      url: expect.stringContaining("127.0.0.1"),
      rows: expect.any(Number),
    },
  ]);
  // Nor does it listen if it was to stop before.
  expect(await startWatchdog(setup, { signal })).toMatchObject({
    problem: expect.stringContaining("cannot listen"),
  });
});

it("ends its tracing last, also if the start fails, and says if that fails", async () => {
  const lines: unknown[] = [];
  const log = createLog({ level: "error", format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  const setup = idleSetup(log);
  const close = vi.fn(() => {
    // The journal is free by then.
    const { data } = setup.settings;
    const journal = openJournal(data);
    expect(journal.ok).toBe(true);
    if (journal.ok) journal.value.close();
    return Promise.reject(new Error("no receiver"));
  });
  const tracing: WatchdogSetup["tracing"] = {
    committed: () => undefined,
    stepped: () => undefined,
    reading: () => ({ exported: 0, dropped: 0 }),
    close,
  };
  const { stop } = await startedWatchdog({ ...setup, tracing });
  expect(close).not.toHaveBeenCalled();
  await stop();
  expect(close).toHaveBeenCalledOnce();
  const failed = {
    name: "tracing",
    err: expect.objectContaining({ message: "no receiver" }),
    msg: "cleanup failed",
  };
  expect(lines).toMatchObject([failed]);
  expect(await startWatchdog({ ...setup, tracing }, { signal: AbortSignal.abort() })).toMatchObject(
    { ok: false },
  );
  expect(lines).toMatchObject([failed, failed]);
});

it("loads what it serves in a second, and not once it has ended", async () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  onTestFinished(() => void vi.restoreAllMocks());
  const { stop } = await startedWatchdog(idleSetup());
  const loading = timers.mock.results.flatMap(({ value }, index) =>
    timers.mock.calls[index]?.[1] === SECOND ? [value as NodeJS.Timeout] : [],
  );
  expect(loading).toHaveLength(1);
  await stop();
  expect(cleared.mock.calls.flat()).toContain(loading[0]);
});
