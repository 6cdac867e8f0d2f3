import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { entityKey, type Entity } from "../../src/domain/entity.ts";
import { SELF_SURFACE, surfaceKey } from "../../src/domain/observation.ts";
import { fail, succeed } from "../../src/domain/result.ts";
import type { Change } from "../../src/domain/step.ts";
import { createFeed } from "../../src/io/api/events/feed.ts";
import { createPollHistory } from "../../src/io/api/lists/poll-history.ts";
import { openJournal } from "../../src/io/journal/journal.ts";
import { createLog, type Logger } from "../../src/io/process/log.ts";
import { createDaemon } from "../../src/run/daemon.ts";
import {
  admissionOf,
  serverSourceOf,
  undeletedLogger,
  type ServedWorld,
} from "../../src/run/servers.ts";
import { createPast } from "../../src/run/service/past.ts";
import type { AggregatorSetup, Sources } from "../../src/run/setup.ts";
import { startWatchdog } from "../../src/run/watchdog.ts";
import { partOf } from "../core/readings.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { START } from "./loop-world.ts";
import { aggregatorSetup, EVERY_POLLER, silentLog, watchdogSetup } from "./watchdog-setup.ts";

function keptLog(level: "info" | "warn" = "warn"): {
  readonly log: Logger;
  readonly lines: unknown[];
} {
  const lines: unknown[] = [];
  const log = createLog({ level, format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  return { log, lines };
}

it("a backup that cannot be made is logged, with who asked for it and why", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const { log, lines } = keptLog();
  const setup = watchdogSetup(path, [], { log });
  const sha256 = createHash("sha256").update("alice-token").digest("hex");
  const tokens = [{ name: "alice", scopes: ["operate"] as const, sha256 }];
  const { settings } = setup;
  const server = { ...settings.server, tokens };
  const started = await startWatchdog({ ...setup, settings: { ...settings, server } });
  if (!started.ok) throw new Error(started.problem);
  onTestFinished(started.value.stop);
  // Where their directory should be.
  writeFileSync(join(path, "backups"), "");
  const answer = await fetch(`${started.value.url}/api/v1/journal/backup`, {
    method: "POST",
    headers: { authorization: "Bearer alice-token" },
  });
  const text = await answer.text();
  expect(lines, text).toMatchObject([
    { level: "error", by: "alice", msg: "journal not backed up" },
  ]);
  const [{ detail }] = lines as [{ detail: string }];
  expect(detail).toContain("EEXIST");
  expect([answer.status, JSON.parse(text)]).toEqual([507, { error: detail }]);
});

it("names an old backup that cannot be deleted once, and again if it was gone meanwhile", () => {
  const { log, lines } = keptLog();
  const notDeleted = undeletedLogger(log);
  const one = { file: "one.sqlite", problem: "EISDIR" };
  const two = { file: "two.sqlite", problem: "EISDIR" };
  for (const undeleted of [[], [one], [one, two], [two], [one, two]]) notDeleted(undeleted);
  expect(lines).toMatchObject([{ undeleted: [one] }, { undeleted: [two] }, { undeleted: [one] }]);
});

/** What a daemon serves that has not begun. Its long work goes on at `turn`. */
function served(
  change: Partial<ServedWorld> = {},
  {
    log = silentLog(),
    sources,
    rows = [],
    watchSources = { files: [], http: [] },
  }: {
    readonly log?: Logger;
    readonly sources?: Sources;
    /** What its journal holds. */
    readonly rows?: readonly Change[];
    readonly watchSources?: NonNullable<AggregatorSetup["watchSources"]>;
  } = {},
) {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const journal = openJournal(path);
  if (!journal.ok) throw new Error(journal.problem);
  onTestFinished(journal.value.close);
  journal.value.commit({ at: START, changes: rows, findings: [] });
  const clock = { now: () => START };
  const pollers = EVERY_POLLER.filter(({ name }) => name === "exchanges");
  const setup = watchdogSetup(
    path,
    [aggregatorSetup("http://aggregator.invalid", { pollers, watchSources })],
    {
      log,
    },
  );
  const turn = Promise.withResolvers<void>();
  const daemon = createDaemon(setup, sources, {
    clock,
    random: () => 0.5,
    createSender: () => ({ send: () => new Promise(() => undefined), close: () => undefined }),
    fileExists: () => false,
    journal: journal.value,
    slice: { begin: () => undefined, isOver: () => true, next: async () => await turn.promise },
  });
  onTestFinished(daemon.close);
  const { loop } = daemon;
  const past = createPast(() => loop, journal.value, clock.now);
  const source = serverSourceOf(setup, daemon, {
    clock,
    journal: journal.value,
    backUp: journal.value.backUp,
    notDeleted: () => undefined,
    work: { faults: () => [] },
    heartbeat: { notices: () => [] },
    polls: createPollHistory(),
    feed: createFeed({ view: () => source.view(), idle: loop.idle, onError: () => undefined }),
    ...past,
    ...change,
  });
  return { loop, journal: journal.value, source, turn: turn.resolve };
}

it("a backup waits for the end of a long event, of which a part is in the journal", async () => {
  const seen: boolean[] = [];
  const { loop, source, turn } = served({
    backUp: () => {
      seen.push(loop.isBusy());
      return fail("the disk is full");
    },
  });
  const working = loop.undisturbed(function* () {
    yield;
  });
  const made = source.backUp("alice");
  turn();
  await working;
  expect(await made).toEqual(fail("the disk is full"));
  expect(seen).toEqual([false]);
});

it("a backup is logged with who asked for it, and old ones that cannot be deleted are named", async () => {
  const { log, lines } = keptLog("info");
  const backup = { file: "one.sqlite", bytes: 7, undeleted: [{ file: "old", problem: "EISDIR" }] };
  const [made, named]: [unknown[], unknown[]] = [[], []];
  const { source } = served(
    {
      backUp: (at) => {
        made.push(at);
        return succeed(backup);
      },
      notDeleted: (undeleted) => void named.push(undeleted),
    },
    { log },
  );
  expect(await source.backUp("alice")).toEqual(succeed(backup));
  expect([made, named]).toEqual([[START], [backup.undeleted]]);
  const line = { by: "alice", file: "one.sqlite", bytes: 7, msg: "journal backed up" };
  expect(lines).toEqual([expect.objectContaining(line)]);
  expect(lines).not.toEqual([expect.objectContaining({ undeleted: expect.anything() })]);
});

it("a daemon that cannot write its journal is not ready, and says why", async () => {
  const { loop, journal, source, turn } = served();
  turn();
  journal.condemn("a damaged page");
  loop.push({ type: "started" });
  await loop.caughtUp();
  expect(source.unready()).toEqual([
    "the journal cannot be written, and no action is sent: a damaged page",
    "the first poll of exchanges is not done",
  ]);
});

it("a watch list that cannot be read is a notice", () => {
  const { source } = served({}, { watchSources: { files: ["/nowhere/desks.json"], http: [] } });
  expect(source.notices()).toEqual([
    expect.stringContaining("Watch list file /nowhere/desks.json of bsc: nothing is in force"),
  ]);
});

it("what differs in a daemon that does not act is answered instead", () => {
  const role = () => "standby: b";
  expect(served({ instead: { role } }).source.role?.()).toBe("standby: b");
});

it("what a restart can mend makes a daemon unhealthy and unready; the rest is a notice, but for the start", () => {
  const faults = [
    { reason: "starting", detail: "the first polls are not done" },
    { reason: "loop_still", detail: "the loop has not turned for 20s" },
    { reason: "poll_overdue", detail: "nothing was read for 10m" },
  ] as const;
  const heartbeat = { notices: () => ["the heartbeat is withheld"] };
  const { source } = served({ work: { faults: () => faults }, heartbeat });
  expect(source.unhealthy()).toEqual(["the loop has not turned for 20s"]);
  expect(source.unready()).toEqual([
    "the loop has not turned for 20s",
    "the first poll of exchanges is not done",
  ]);
  expect(source.notices()).toEqual(["nothing was read for 10m", "the heartbeat is withheld"]);
});

it("a long first poll makes a daemon unready until a part of it is read, which is said then", async () => {
  const { loop, source, turn } = served();
  turn();
  loop.push({ type: "started" });
  await loop.caughtUp();
  expect([source.unready(), source.unread()]).toEqual([
    ["the first poll of exchanges is not done"],
    [],
  ]);
  const parts = [partOf("all", START, [])];
  const observation = { aggregator: "bsc", poller: "exchanges", parts, durationMs: 5 };
  loop.push({ type: "observed", observation: { ...observation, origin: "poll", ongoing: true } });
  await loop.caughtUp();
  expect([source.unready(), source.unread()]).toEqual([
    [],
    ["the first poll of exchanges goes on: 1 of 1 surfaces are read"],
  ]);
});

it("a daemon is not ready while a long start goes on, though its pollers had polled before", async () => {
  const rowOf = (kind: string, id: string, surface: string, facts: Entity["facts"]): Change => {
    const own = { aggregator: "bsc", kind, id, surface: surfaceKey("bsc", "exchanges", surface) };
    return {
      table: "entity",
      key: entityKey(own),
      value: { ...own, facts: { name: id, ...facts }, firstSeen: START, since: START },
    };
  };
  const listed = Array.from({ length: 100 }, (_, index) =>
    rowOf("exchange", `E${index}`, "all", { status: "enabled", listed: true }),
  );
  const polled = rowOf("poller", "exchanges", SELF_SURFACE, { up: true, last_success: START });
  const { loop, source, turn } = served({}, { rows: [polled, ...listed] });
  loop.push({ type: "started" });
  expect(loop.isBusy()).toBe(true);
  expect(source.unready()).toEqual(["the first poll of exchanges is not done"]);
  turn();
  await loop.caughtUp();
  expect(source.unready()).toEqual(["the first poll of exchanges is not done"]);
});

it("is known by the name that it listens at, as by those in its config", () => {
  const made = watchdogSetup("/nowhere", []);
  const listen = { host: "watch.internal", port: 0 };
  const setup = { ...made, settings: { ...made.settings, listen } };
  const server = {
    ...made.settings.server,
    hosts: ["watch.example"],
    trustedProxies: ["10.0.0.1"],
    mcp: false,
  };
  const { access, mcp } = admissionOf(setup, () => server, { now: () => START });
  expect(access()).toEqual({
    hosts: ["watch.example", "watch.internal"],
    trustedProxies: ["10.0.0.1"],
  });
  expect(mcp()).toBe(false);
});

it("logs who was refused by the tokens in force", () => {
  const { log, lines } = keptLog();
  const setup = watchdogSetup("/nowhere", [], { log });
  const server = { ...setup.settings.server, tokens: [] };
  const { gate } = admissionOf(setup, () => server, { now: () => START });
  expect(gate.check("Bearer wrong", "operate", "::1")).toMatchObject({ allowed: false });
  expect(lines).toMatchObject([{ client: "::1", msg: "writing call refused" }]);
});

it("a dry run of a reload puts nothing in force, and a reload says who asked for it, and how", () => {
  const { log, lines } = keptLog();
  const loads: string[] = [];
  const sources: Sources = {
    load: (why) => {
      loads.push(why);
      return fail("a.yaml:1:1: error: no");
    },
    isOutdated: () => false,
    lastAccepted: () => undefined,
    directories: () => [],
    onHangup: () => () => undefined,
    another: () => sources,
  };
  const { source } = served({}, { log, sources });
  expect(source.reload("alice", true)).toEqual(fail("a.yaml:1:1: error: no"));
  expect({ loads, lines, notices: source.notices() }).toEqual({
    loads: ["preview"],
    lines: [],
    notices: [],
  });
  source.reload("alice", false);
  expect(loads).toEqual(["preview", "reload"]);
  expect(lines).toMatchObject([{ level: "error", by: "alice, by POST /-/reload" }]);
  expect(source.notices()).toEqual([expect.stringContaining("a.yaml:1:1: error: no")]);
});

it("says in the log which page cannot be made, and why", () => {
  const { log, lines } = keptLog();
  served({}, { log }).source.onError("/plain", new Error("no such template"));
  expect(lines).toMatchObject([
    { path: "/plain", err: { message: "no such template" }, msg: "page cannot be made" },
  ]);
});

it.each([
  ["accepts", "still has its lease", 5_000, true],
  ["refuses", "has lost its lease", 0, false],
])("%s a command that is not on disk if it %s", async (_does, _if, leftMs, accepted) => {
  const { journal, source, turn } = served({
    lease: { epoch: 1, held: () => accepted, leftMs: () => leftMs },
  });
  journal.condemn("a damaged page");
  turn();
  const command = { name: "kill", source: "operator" } as const;
  expect(await source.command("alice", "a test", command)).toMatchObject({
    accepted,
    subject: "operator",
    durable: false,
  });
});
