/** Tests src/run/replica/standby-view.ts: what a standby shows of the rows that another replica writes. */
import { hash } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { SCOPES, type Token } from "../../../src/config/settings/tokens.ts";
import type { CommandOutcome } from "../../../src/io/api/server-source.ts";
import type { Change } from "../../../src/domain/step.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { DatabaseAway } from "../../../src/io/postgres/database.ts";
import type { SharedWorld } from "../../../src/run/replica/shared-world.ts";
import { createStandbyView, type StandbyNow } from "../../../src/run/replica/standby-view.ts";
import { watchdogSetup } from "../watchdog-setup.ts";

type Given = {
  /** Why the database cannot be read. */
  away?: string;
  rows: readonly Change[];
  ageMs: number;
  leftOut: number;
  failed?: NonNullable<ReturnType<SharedWorld["current"]>["failed"]>;
  outcome: CommandOutcome;
};

const DONE: CommandOutcome = { accepted: true, subject: "operator", detail: "", durable: true };

const SECRET = "a".repeat(32);
const TOKEN: Token = { name: "alice", sha256: hash("sha256", SECRET), scopes: SCOPES };
const OF_ALICE = { authorization: `Bearer ${SECRET}`, "content-type": "application/json" };

/** What a standby shows of a database that has nothing, unless it is given. */
function viewed() {
  const given: Given = { rows: [], ageMs: 0, leftOut: 0, outcome: { ...DONE } };
  const made = watchdogSetup("/nowhere", []);
  const server = { ...made.settings.server, tokens: [TOKEN] };
  const setup = { ...made, settings: { ...made.settings, server } };
  let reads = 0;
  const copy = {
    rows: () => given.rows,
    refresh: async () => {
      reads += 1;
      if (given.away !== undefined) throw new DatabaseAway(given.away);
      return await Promise.resolve(given.rows);
    },
    ageMs: () => given.ageMs,
    leftOut: () => given.leftOut,
  };
  const world = {
    journal: {},
    log: setup.log,
    current: () => ({ setup, sources: undefined, failed: given.failed }),
    reading: () => ({ isOwner: false, isDatabaseUp: true, takeOvers: 0, bugs: 0 }),
    shown: (alone: unknown) => alone,
  } as unknown as SharedWorld;
  const now = {
    problem: () => given.away,
    hangs: () => [],
    notices: () => ["the clock is wrong"],
    units: [],
    role: () => "standby: b",
    command: async () => await Promise.resolve(given.outcome),
  } as unknown as StandbyNow;
  const view = createStandbyView(world, now, copy);
  onTestFinished(view.close);
  const asked = async (path: string, of: "app" | "itself" = "app", body?: object) => {
    const call = body && { method: "POST", headers: OF_ALICE, body: JSON.stringify(body) };
    const answer = await (await view[of]()).fetch(new Request(`http://127.0.0.1${path}`, call));
    return { status: answer.status, text: await answer.text() };
  };
  const status = async (): Promise<unknown> => JSON.parse((await asked("/api/v1/status")).text);
  return { given, view, asked, status, reads: () => reads };
}

const kill = (by: string): Change => ({
  table: "kill",
  key: "operator",
  value: { source: "operator", since: 1, by, reason: "odd" },
});

it("a standby says why it cannot use the database, which units it leaves out, and what it notices", async () => {
  const { given, status } = viewed();
  expect(await status()).toMatchObject({ notices: ["the clock is wrong"] });
  given.leftOut = 1;
  const most = "of senders not shown: the others have more than 1000000 rows.";
  expect(await status()).toMatchObject({ notices: [`1 unit ${most}`, "the clock is wrong"] });
  Object.assign(given, { leftOut: 2, away: "no answer" });
  expect(await status()).toMatchObject({
    notices: ["the database cannot be used: no answer", `2 units ${most}`, "the clock is wrong"],
  });
});

it("a standby says how old the rows are that it shows, though the database is away", async () => {
  const { given, status, asked } = viewed();
  given.rows = [kill("alice")];
  const replica = "standby: b. What is shown was read from the database";
  expect(await status()).toMatchObject({ replica: `${replica} 0s ago.` });
  Object.assign(given, { away: "no answer", ageMs: 61.4 * SECOND });
  expect(await status()).toMatchObject({
    replica: `${replica} 1m1s ago.`,
    killed: [{ by: "alice" }],
  });
  expect(await asked("/readyz")).toEqual({
    status: 503,
    text: "the database cannot be used: no answer\nstandby: b\n",
  });
});

it("a standby shows at once what a command has done, and what a refusal is about as that is now", async () => {
  const { given, asked, status, reads } = viewed();
  const order = async () => await asked("/api/v1/kill", "app", { reason: "odd" });
  expect(await status()).toMatchObject({ killed: [] });
  given.rows = [kill("alice")];
  expect(await status()).toMatchObject({ killed: [] });
  expect(await order()).toMatchObject({ status: 200 });
  expect(await status()).toMatchObject({ killed: [{ by: "alice" }] });
  /** How often it has read again by the answer. */
  const readBefore = async (outcome: Partial<CommandOutcome>): Promise<number> => {
    Object.assign(given.outcome, { accepted: false, ...outcome });
    await status();
    const before = reads();
    expect(await order()).toMatchObject({ status: 409 });
    return reads() - before;
  };
  expect(await readBefore({ subject: "p1" })).toBe(1);
  expect(await readBefore({ subject: "" })).toBe(0);
});

it("a standby says what it is though the database was never read, by its files as they are now", async () => {
  const { given, view, asked } = viewed();
  given.away = "no answer";
  await expect(view.app()).rejects.toEqual(new DatabaseAway("no answer"));
  expect(await asked("/readyz", "itself")).toEqual({
    status: 503,
    text: "the database cannot be used: no answer\nstandby: b\n",
  });
  const isLoaded = async (): Promise<string | undefined> =>
    /^aggwatch_config_last_reload_successful (\d)$/m.exec(
      (await asked("/metrics", "itself")).text,
    )?.[1];
  expect(await isLoaded()).toBe("1");
  given.failed = { at: 1, problems: "rules.yaml: 3", successAt: 1 };
  expect(await isLoaded()).toBe("0");
});
