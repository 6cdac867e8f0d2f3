/** Tests src/io/api/past/journal-view.ts on why an action was not sent, and since when. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { MINUTE } from "../../../../src/domain/time.ts";
import type { AlertsJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { openJournal, type Journal } from "../../../../src/io/journal/journal.ts";
import { exchange, repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, START, type World } from "../../../core/world.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { sourceOf } from "../server-fixture.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let journal: Journal;
let world: World;

beforeEach(() => {
  directory = temporaryDirectory();
  const opened = openJournal(directory.path);
  if (!opened.ok) throw new Error(opened.problem);
  journal = opened.value;
  world = watched(scriptedWorld({ rules: [rule({ act: repair() })], probes: "silent" }));
});

/** Its findings are in the journal. */
function watched(own: World): World {
  own.onStep = (_event, { findings }) => {
    const stored = findings.map((finding) => ({ at: own.now, finding }));
    if (stored.length > 0) journal.commit({ at: own.now, changes: [], findings: stored });
  };
  return own;
}

afterEach(() => {
  journal.close();
  directory.remove();
});

/** Why each alert's action is not sent, as the list says it, now and then. */
async function suppressedNowAndThen(): Promise<readonly unknown[]> {
  const app = createApp(sourceOf(world, { past: journal }));
  const read = async (query: string): Promise<unknown> => {
    const reply = await app.request(`/api/v1/alerts?${query}`);
    return ((await reply.json()) as AlertsJson).alerts.map(({ suppressed }) => suppressed);
  };
  return [await read(""), await read(`at=${new Date(world.now).toISOString()}`)];
}

/** Polls go on, so no reading is old; only those before the action do not come. */
function passesPolled(seconds: number): void {
  for (let passed = 0; passed < seconds; passed += 5)
    world.sees("exchanges", [exchange("BINANCE", "disabled")]).passes("5s");
}

it("the past says that the reading before the action did not come, as the present did", async () => {
  passesPolled(20);
  expect(world.remediations()).toEqual([]);
  const [now, then] = await suppressedNowAndThen();
  expect(now).toMatchObject([{ reason: "stale", detail: "no reading came within confirm_within" }]);
  expect(then).toEqual(now);
});

it("the past says since when it does not come, though it was asked for again and again", async () => {
  passesPolled(60);
  const [now, then] = await suppressedNowAndThen();
  expect(now).toMatchObject([{ reason: "stale" }]);
  expect(then).toEqual(now);
});

it("the past says since when an action is held back, though nothing was sure for a while", async () => {
  world = watched(scriptedWorld({ rules: [rule({ act: repair({ budget: NO_BUDGET }) })] }));
  passesPolled(10);
  world.fails("exchanges").passes("5s");
  passesPolled(10);
  expect(world.found("suppressed").map(({ reason }) => reason)).toEqual([
    "budget",
    "stale",
    "budget",
  ]);
  const [now, then] = await suppressedNowAndThen();
  expect(now).toMatchObject([{ reason: "budget", since: new Date(START).toISOString() }]);
  expect(then).toEqual(now);
});

const NO_BUDGET = { max: 0, perMs: MINUTE };

it("what held the action back before the reading did not come is not said of the past", async () => {
  world.commands({ name: "hold", scope: {}, until: world.now + MINUTE });
  passesPolled(30);
  expect(await suppressedNowAndThen()).toMatchObject([[{ reason: "held" }], [{ reason: "held" }]]);
  world.commands({ name: "release", hold: "h1" });
  passesPolled(20);
  const [now, then] = await suppressedNowAndThen();
  expect(now).toMatchObject([{ reason: "stale" }]);
  expect(then).toEqual(now);
});
