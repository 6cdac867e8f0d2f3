/** Tests src/run/service/start-loop.ts: a start from a journal in which there is much. */
import { afterEach, expect, it } from "vitest";
import { entityKey } from "../../src/domain/entity.ts";
import { surfaceKey } from "../../src/domain/observation.ts";
import type { Change } from "../../src/domain/step.ts";
import { openJournal } from "../../src/io/journal/journal.ts";
import { createCleanup } from "../../src/io/process/lifecycle.ts";
import { createDaemon } from "../../src/run/daemon.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { START } from "./loop-world.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "./watchdog-setup.ts";

const directory = temporaryDirectory();
afterEach(directory.remove);

const ENTITIES: readonly Change[] = Array.from({ length: 500 }, (_, index) => {
  const id = { aggregator: "bsc", kind: "exchange", id: `E${index}` };
  const facts = { name: id.id, status: "enabled", listed: true, disabled: false };
  const times = { firstSeen: START, since: START };
  const surface = surfaceKey("bsc", "exchanges", "all");
  return { table: "entity", key: entityKey(id), value: { ...id, surface, facts, ...times } };
});

it("lets the event loop turn before all of it is unknown, and is as any other at its end", async () => {
  const journal = openJournal(directory.path);
  if (!journal.ok) throw new Error(journal.problem);
  journal.value.commit({ at: START, changes: ENTITIES, findings: [] });
  const pollers = EVERY_POLLER.filter(({ name }) => name === "exchanges");
  const setup = watchdogSetup(directory.path, [
    aggregatorSetup("http://aggregator.invalid", { pollers }),
  ]);
  let turn: (() => void) | undefined;
  let isChecked = false;
  const daemon = createDaemon(setup, undefined, {
    clock: { now: () => START + 60_000 },
    random: () => 0.5,
    createSender: () => ({ send: () => new Promise(() => undefined), close: () => undefined }),
    fileExists: () => true,
    journal: journal.value,
    // It cannot freeze the file in the middle of a commit.
    journalCheck: {
      begin: (_onSound, whenIdle) => {
        whenIdle?.(() => {
          isChecked = journal.value.freezeFile().ok;
        });
        return journal.value.thawFile;
      },
    },
    slice: {
      begin: () => undefined,
      isOver: () => true,
      next: () =>
        new Promise((resolve) => {
          turn = resolve;
        }),
    },
  });
  const cleanup = createCleanup(() => undefined);
  daemon.begin(cleanup);
  expect(daemon.loop.isBusy()).toBe(true);
  const waiting = new Set(["start"]);
  void daemon.loop.caughtUp().then(() => waiting.clear());
  for (let turns = 0; waiting.size > 0; turns += 1) {
    expect(turns).toBeLessThan(10_000);
    turn?.();
    // oxlint-disable-next-line no-await-in-loop -- the work goes on in microtasks
    for (let ticks = 0; ticks < 5; ticks += 1) await Promise.resolve();
  }
  expect(isChecked).toBe(true);
  const { tables } = daemon.loop.state();
  const unknown = ENTITIES.filter(({ key }) => tables.entity.get(key)?.unknownSince !== undefined);
  expect(unknown).toHaveLength(ENTITIES.length);
  // The kill file is looked for at the start, and not a second later.
  expect([...tables.kill.keys()]).toEqual(["file"]);
  await cleanup.run();
  await daemon.close();
  journal.value.close();
});
