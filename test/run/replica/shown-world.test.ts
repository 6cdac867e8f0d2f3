/** Tests src/run/replica/shown-world.ts: what a replica says of the units of senders, and who decides on commands. */
import { describe, expect, it } from "vitest";
import type { Command } from "../../../src/domain/command.ts";
import { HOME, sendersUnit, unitOfSender } from "../../../src/domain/lease.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { pageOf } from "../../../src/io/metrics/page-bytes.ts";
import { createShownWorld } from "../../../src/run/replica/shown-world.ts";
import type { RunningUnit } from "../../../src/run/replica/run-unit.ts";
import type { Units } from "../../../src/run/units/units.ts";
import { textOf } from "../../io/metrics/scrape.ts";
import { watchdogSetup } from "../watchdog-setup.ts";

const SHARDS = 3;
const [FIRST, SECOND, THIRD] = [1, 2, 3].map(sendersUnit) as [string, string, string];

const OWNS = "# HELP aggwatch_replica_owner 1 if it acts.\naggwatch_replica_owner 1\n";

type Given = { isWritable?: boolean; hangs?: string; problem?: string };

/** What a unit's service answers, each line with its name. */
function sourceOf(unit: string): ServerSource {
  const line = (what: string) => () => [`${what} of ${unit}`];
  return {
    unhealthy: line("fault"),
    unready: line("silence"),
    unread: line("rest"),
    notices: line("notice"),
    role: () => `role of ${unit}`,
    command: () => ({ accepted: true, subject: "", detail: `decided by ${unit}`, durable: true }),
    reload: (by: string, dryRun: boolean) => ({
      ok: false,
      problem: `${by}: ${dryRun ? "tried" : "read"} by ${unit}`,
    }),
    metrics: () => Promise.resolve(pageOf([{ bytes: Buffer.from(OWNS) }])),
  } as unknown as ServerSource;
}

/** One that is owned here, or is about to be. */
function unitOf(unit: string, isOwned: boolean, given: Given = {}): RunningUnit {
  const kill = new Map([["journal", { reason: "no space" }]]);
  const loop = {
    journalWritable: () => given.isWritable !== false,
    stateSoFar: () => ({ tables: { kill } }),
  };
  const life = { service: () => ({ source: sourceOf(unit), loop }), app: () => undefined };
  return {
    unit,
    life: () => (isOwned ? life : undefined),
    fault: () => given.hangs,
    problem: () => given.problem,
    holder: () => "b",
    world: { name: "a", writer: undefined, reading: () => ({ isOwner: isOwned }) },
  } as unknown as RunningUnit;
}

/** What home shows if these are the units here; no replica owns the third. */
function shownOf(home: RunningUnit, running: readonly RunningUnit[], shards = SHARDS) {
  const setup = watchdogSetup("/nowhere", []);
  const settings = { ...setup.settings, journal: { ...setup.settings.journal, shards } };
  const world = createShownWorld({ ...setup, settings }, () => ["the clock is wrong"], undefined);
  const units = {
    names: [FIRST, SECOND, THIRD],
    running: () => running,
    unowned: () => [THIRD],
  } as unknown as Units;
  world.begin(home, shards === 0 ? undefined : units);
  return { world, source: world.ofHome(sourceOf(HOME)) };
}

const UNOWNED = `${THIRD}: no replica owns it, so its senders are not polled`;

describe("a replica with units of senders", () => {
  it("says what each of its units says, by its name, and which none owns", () => {
    const units = [unitOf(FIRST, true), unitOf(SECOND, false)];
    const { source } = shownOf(unitOf(HOME, true), units);
    expect(source.unhealthy()).toEqual(["fault of home", `${FIRST}: fault of ${FIRST}`]);
    expect(source.unread()).toEqual(["rest of home", `${FIRST}: rest of ${FIRST}`]);
    expect(source.notices()).toEqual([
      "the clock is wrong",
      "notice of home",
      `${FIRST}: notice of ${FIRST}`,
      UNOWNED,
    ]);
    expect(source.role?.()).toBe(`owner: a, epoch 0; of 3 units of senders: ${FIRST}`);
  });

  it("is ready before its units have polled, but not while one of them cannot write", () => {
    const ready = shownOf(unitOf(HOME, true), [unitOf(FIRST, true)]);
    expect(ready.source.unready()).toEqual(["silence of home"]);
    const unit = unitOf(FIRST, true, { isWritable: false });
    expect(shownOf(unitOf(HOME, true), [unit]).source.unready()).toEqual([
      "silence of home",
      `${FIRST}: the journal cannot be written, and no action is sent: no space`,
    ]);
  });

  it("is unhealthy if one of them hangs, or home", () => {
    const home = unitOf(HOME, true, { hangs: "it hangs" });
    const unit = unitOf(SECOND, false, { hangs: "it hangs too" });
    const { source } = shownOf(home, [unit]);
    expect(source.unhealthy().slice(0, 2)).toEqual([
      `${HOME}: it hangs`,
      `${SECOND}: it hangs too`,
    ]);
  });

  it("says that it does not show what others watch while the database is away", () => {
    const { source } = shownOf(unitOf(HOME, true, { problem: "no answer" }), []);
    expect(source.notices()).toContain(
      "what the units of senders watch is not shown: the database cannot be used: no answer",
    );
    expect(source.role?.()).toMatch(/: none$/);
  });

  it("gives a command to the unit that decides on it, if that is its own", async () => {
    const target = "0x00000000000000000000000000000000000000aa";
    const unit = sendersUnit(unitOfSender(target, SHARDS));
    const { source } = shownOf(unitOf(HOME, true), [unitOf(unit, true)]);
    const decidedBy = async (command: Command) => (await source.command("ann", "", command)).detail;
    expect(await decidedBy({ name: "kill", source: "operator" })).toBe("decided by home");
    const entry = { kind: "sender", target } as const;
    expect(await decidedBy({ name: "watch", aggregator: "bsc", entry } as unknown as Command)).toBe(
      `decided by ${unit}`,
    );
  });

  it("answers a reload as home does if it owns that, and else as a unit does that it owns", () => {
    const answered = (
      isOwner: boolean,
      running: readonly RunningUnit[],
      dryRun = false,
    ): unknown => {
      const outcome = shownOf(unitOf(HOME, isOwner), running).source.reload("ann", dryRun);
      return outcome.ok ? outcome : outcome.problem;
    };
    expect(answered(true, [unitOf(FIRST, true)])).toBe("ann: read by home");
    expect(answered(false, [unitOf(FIRST, true)])).toBe(`ann: read by ${FIRST}`);
    expect(answered(false, [])).toBe("ann: read by home");
    expect(answered(true, [unitOf(FIRST, true)], true)).toBe("ann: tried by home");
    expect(answered(false, [unitOf(FIRST, true)], true)).toBe(`ann: tried by ${FIRST}`);
  });

  it("has in its metrics the series of each unit that it owns, and that it owns no other", async () => {
    const { source } = shownOf(unitOf(HOME, true), [unitOf(FIRST, true), unitOf(SECOND, false)]);
    expect(
      textOf(await source.metrics("prometheus"))
        .trimEnd()
        .split("\n")
        .slice(1),
    ).toEqual([
      "aggwatch_replica_owner 1",
      `aggwatch_replica_owner{unit="${FIRST}"} 1`,
      `aggwatch_replica_owner{unit="${SECOND}"} 0`,
      `aggwatch_replica_owner{unit="${THIRD}"} 0`,
    ]);
  });
});

it("a replica without units of senders says what home says, and what its clock shows", () => {
  const { source } = shownOf(unitOf(HOME, true), [], 0);
  expect(source.notices()).toEqual(["the clock is wrong", "notice of home"]);
  expect(source.unready()).toEqual(["silence of home"]);
});

it("what cannot be shown is answered as the path is, and says why", async () => {
  const app = (): never => {
    throw new Error("no answer");
  };
  const home = { ...unitOf(HOME, true), life: () => ({ app, service: () => undefined }) };
  const { world } = shownOf(home as unknown as RunningUnit, [], 0);
  const asked = async (path: string) => {
    const answer = await world.fetch(new Request(`http://127.0.0.1${path}`));
    return [answer.status, await answer.text()];
  };
  expect(await asked("/api/v1/status")).toEqual([503, JSON.stringify({ error: "no answer" })]);
  expect(await asked("/")).toEqual([503, "no answer\n"]);
});
