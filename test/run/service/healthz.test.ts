/** Tests src/run/service/service.ts: what is said of its health while it is busy. */
import { setImmediate } from "node:timers/promises";
import { onTestFinished, test, expect } from "vitest";
import type { Slices } from "../../../src/domain/slices.ts";
import { startWatchdog } from "../../../src/run/watchdog.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup, watchdogSetup } from "../watchdog-setup.ts";

/** More slices than there are between two turns of the event loop. */
const MANY = 5_000_000;

type Seen = { isAnswered: boolean; turns: number };

/** Work until the answer; it is all done at once if so many slices follow each other without a turn of the event loop. */
function* untilAnswered(seen: Seen): Slices<"in slices" | "at once"> {
  let before = seen.turns;
  for (let left = MANY; left > 0; left -= 1) {
    if (seen.isAnswered) return "in slices";
    if (seen.turns !== before) left = MANY;
    before = seen.turns;
    yield;
  }
  return "at once";
}

async function countTurns(seen: Seen): Promise<void> {
  while (!seen.isAnswered) {
    seen.turns += 1;
    await setImmediate();
  }
}

test.each(["/healthz", "/readyz"])("a probe of %s leaves long work its slices", async (path) => {
  const directory = temporaryDirectory();
  onTestFinished(directory.remove);
  const setup = watchdogSetup(directory.path, [
    aggregatorSetup("http://127.0.0.1:1", { pollers: [] }),
  ]);
  // Its health depends on the notifiers then.
  const heartbeat = {
    url: "http://127.0.0.1:1",
    everyMs: 60_000,
    timeoutMs: 5_000,
    needsNotifier: true,
  };
  const started = await startWatchdog({ ...setup, heartbeat });
  if (!started.ok) throw new Error(started.problem);
  const watchdog = started.value;
  onTestFinished(watchdog.stop);
  const loop = watchdog.loop();
  await loop.caughtUp();
  const seen: Seen = { isAnswered: false, turns: 0 };
  const how = loop.undisturbed(() => untilAnswered(seen));
  const counting = countTurns(seen);
  const answer = await fetch(watchdog.url + path);
  const wasBusy = loop.isBusy();
  seen.isAnswered = true;
  await counting;
  expect({ status: answer.status, wasBusy, how: await how }).toEqual({
    status: 200,
    wasBusy: true,
    how: "in slices",
  });
});
