/** Tests src/io/api/past/journal-view.ts on attempts that are known afterwards not to have been sent. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AlertsJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { openJournal, type Journal } from "../../../../src/io/journal/journal.ts";
import { HOUR, MINUTE } from "../../../../src/domain/time.ts";
import { AGGREGATOR, exchange, repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../../core/world.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { sourceOf } from "../server-fixture.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let journal: Journal;

beforeEach(() => {
  directory = temporaryDirectory();
  const opened = openJournal(directory.path);
  if (!opened.ok) throw new Error(opened.problem);
  journal = opened.value;
});

afterEach(() => {
  journal.close();
  directory.remove();
});

/** The alerts of a world whose findings are in the journal, as the API shows them. */
function watched(world: World): (query?: string) => Promise<AlertsJson["alerts"]> {
  world.onStep = (_event, { findings }) => {
    const stored = findings.map((finding) => ({ at: world.now, finding }));
    if (stored.length > 0) journal.commit({ at: world.now, changes: [], findings: stored });
  };
  const app = createApp(sourceOf(world, { past: journal }));
  return async (query = "") => {
    const reply = await app.request(`/api/v1/alerts?entity=exchange/BINANCE${query}`);
    return ((await reply.json()) as AlertsJson).alerts;
  };
}

const thenOf = ({ now }: World): string => `&at=${new Date(now).toISOString()}`;

const isDisabled = (world: World): World =>
  world.sees("exchanges", [exchange("BINANCE", "disabled")]);

it.each([
  ["at once", (world: World): World => world],
  [
    "after the alert has moved",
    (world: World): World =>
      isDisabled(world.tell({ type: "resumed", since: world.now, awayMs: MINUTE })),
  ],
])(
  "the past counts it as no attempt and keeps what held back the next, %s",
  async (_when, then) => {
    const world = scriptedWorld({ rules: [rule({ act: repair({ cooldownMs: HOUR }) })] });
    const alerts = watched(world);
    const shown = async (query = ""): Promise<unknown> =>
      (await alerts(query)).map(({ attempts, suppressed }) => ({
        attempts,
        reason: suppressed?.reason,
        since: suppressed?.since,
      }));
    isDisabled(world.at("1d")).passes("1s");
    world.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [AGGREGATOR] });
    world.commands({ name: "hold", scope: {}, until: world.now + HOUR }).passes("1s");
    then(world).passes("1s").replies("r1", "unsent").passes("1s");
    expect(await shown()).toMatchObject([{ attempts: 0, reason: "held" }]);
    expect(await shown(thenOf(world))).toEqual(await shown());
  },
);

it("counts no attempt that was not sent after all", async () => {
  const world = scriptedWorld({ rules: [rule({ act: repair({ attempts: 3 }) })] });
  const alerts = watched(world);
  isDisabled(world.at("1d")).passes("1s").replies("r1", "unsent").passes("1s");
  expect(world.remediations()).toHaveLength(2);
  expect(await alerts()).toMatchObject([{ attempts: 1 }]);
  expect(await alerts(thenOf(world))).toMatchObject([{ attempts: 1 }]);
});
