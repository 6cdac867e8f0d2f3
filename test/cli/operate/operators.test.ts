import { SCOPES } from "../../../src/config/settings/tokens.ts";
/** Tests src/cli/operate: operators. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createEvents } from "../../acceptance/events.ts";
import { commandLine } from "../command-line.ts";
import { channel } from "../../core/tell/channels.ts";
import { packageVersion } from "../../../src/cli/package-version.ts";
import { plain, table } from "../../../src/cli/table.ts";
import type { PastSpan } from "../../../src/io/journal/past.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { eventfulWorld, sourceOf } from "../../io/api/server-fixture.ts";

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const one of undo.splice(0)) await one();
});

const program = commandLine;

/** Beside this file there is none of this name. */
const MISSING = join(import.meta.dirname, "no-such-file");

/** What the daemon of an eventful world was asked for, and its address. */
async function daemon(change: Partial<ServerSource> = {}) {
  const asked: string[] = [];
  const world = eventfulWorld();
  const source = sourceOf(world, {
    ...change,
    gate: {
      isEnabled: () => true,
      check: (authorization) => {
        asked.push(authorization ?? "no token");
        return { allowed: true, name: "alice" };
      },
      whose: () => ({ allowed: true, name: "alice", scopes: SCOPES }) as const,
      holdBack: async () => {},
    },
  });
  const server = await startServer(createApp(source), "127.0.0.1", 0);
  undo.push(server.close);
  return { url: server.url, asked, world };
}

/** A server that answers everything alike, except for paths with an answer of their own. */
async function answering(
  status: number,
  headers: Record<string, string>,
  body: string,
  others: Readonly<Record<string, string>> = {},
) {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`);
    const other = others[request.url ?? ""];
    if (other !== undefined) reply.writeHead(200).end(other);
    else reply.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  undo.push(() => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, asked };
}

function tokenFile(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-cli-"));
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "token");
  writeFileSync(file, content);
  return file;
}

describe("the commands for operators", () => {
  it("show status, alerts and remediations as tables for people", async () => {
    const { url } = await daemon();
    const status = await program(["status", "--url", url]);
    expect(status.exitCode).toBe(0);
    expect(status.printed).toContain("alerts: 2 firing (2 critical), 1 pending");
    expect(status.printed).toMatch(
      /p1 +[0-9a-f]{16} +waiting +0 of 1 +enable_pair +bsc\/pair\/A\/ORN-USDT/,
    );
    const alerts = await program(["alerts"], { AGGWATCH_URL: `${url}/` });
    expect(alerts.printed).toMatch(/^STATE +SEVERITY +ALERT/);
    expect(alerts.printed).toMatch(
      /firing +critical +PairDisabled .*approval: proposal p1 .* waits for a person/,
    );
    const remediations = await program(["remediations", "--url", url]);
    expect(remediations.printed).toMatch(/r1 +requested +enable_exchange +bsc\/exchange\/A/);
  });

  it.each(["status", "alerts", "entities", "remediations", "rules"])(
    "keep the table of %s whole on a terminal of 60 columns",
    async (name) => {
      const { url, world } = await daemon();
      const channels = [channel("operations", { type: "alertmanager" })];
      world.policy = { ...world.policy, notify: { ...world.policy.notify, channels } };
      world.receives = () => "failed";
      world.commands({ name: "kill", source: "operator" }).passes("1m");
      const shown = { isTerminal: true, width: 60 };
      const { printed } = await program([name, "--url", url], { NO_COLOR: "1" }, shown);
      const belowHeads = [...printed.matchAll(/^[A-Z]{2,} {2}[A-Z ]+$\n(.*)/gm)];
      expect(belowHeads.length).toBeGreaterThan(0);
      // A line that is too long would go on there.
      for (const [, below] of belowHeads) expect(below).not.toMatch(/^ {2}\S/);
    },
  );

  it.each([
    ["0.0.9", `aggwatch 0.0.9, and this command is of ${packageVersion()}. Run the command of`],
    [packageVersion(), `aggwatch ${packageVersion()}, and this command is of another build of it.`],
  ])("name both versions if a daemon of version %s replies otherwise", async (version, said) => {
    const { url } = await answering(200, {}, JSON.stringify({ version, alerts: "none" }));
    for (const name of ["status", "alerts", "timeline"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { exitCode, complained } = await program([name, "--url", url]);
      expect(exitCode).toBe(1);
      expect(complained).toContain(`the reply is not as expected: the daemon is ${said}`);
    }
  });

  it.each([
    ["0.0.9", 400, ["alerts"], "the query is wrong"],
    ["0.0.9", 404, ["hold", "--everything", "--for", "1h", "--reason", "x"], "no such page: /x"],
    ["0.0.9", 404, ["explain", "None", "exchange/A"], "there is no rule None"],
    [packageVersion(), 404, ["kill", "--reason", "x"], "no such page: /x"],
    [packageVersion(), 405, ["kill", "--reason", "x"], "/x takes no POST, but GET"],
  ])(
    "name both versions if a daemon of version %s refuses by %i",
    async (version, status, args, error) => {
      const { url } = await answering(status, {}, JSON.stringify({ error }), {
        "/api/v1/overview": JSON.stringify({ version }),
      });
      const env = { AGGWATCH_URL: url, AGGWATCH_TOKEN_FILE: tokenFile("a-token") };
      const { exitCode, complained } = await program(args, env);
      const own = version === packageVersion() ? "another build of it" : packageVersion();
      expect(exitCode).toBe(1);
      expect(complained).toBe(
        `refused (${status}): ${error}
the daemon is aggwatch ${version}, and this command is of ${own}. Run the command of the daemon's own installation or container, or upgrade the older one.`,
      );
    },
  );

  it.each([
    [packageVersion(), 404, "there is no rule None"],
    ["0.0.9", 409, "it was taken"],
  ])(
    "do not speak of versions if a daemon of %s refuses by %i: %s",
    async (version, status, error) => {
      const { url } = await answering(status, {}, JSON.stringify({ error }), {
        "/api/v1/overview": JSON.stringify({ version }),
      });
      const { complained } = await program(["explain", "None", "exchange/A", "--url", url]);
      expect(complained).toBe(`refused (${status}): ${error}`);
    },
  );

  it("say of a denied proposal that it ends with its alert, as it does not expire", async () => {
    const { url, world } = await daemon();
    world.commands({ name: "deny", proposal: "p1" });
    const { printed } = await program(["status", "--url", url]);
    expect(printed).toMatch(/p1 +[0-9a-f]{16} +denied .* with its alert$/m);
    expect(await (await fetch(url)).text()).not.toMatch(/p1<\/span>.*expires/);
  });

  it("show words that they do not know, as a journal of another version has them", async () => {
    const { url, world } = await daemon();
    const { alert, proposal, remediation } = world.state.tables;
    const why = { detail: "of another version", since: world.now };
    for (const [key, one] of alert)
      alert.set(key, { ...one, suppressed: { ...why, reason: "later_guard" as "held" } });
    for (const one of remediation.values()) Object.assign(one, { state: "later_state" });
    for (const one of proposal.values()) Object.assign(one, { action: "later_action" });
    const status = await program(["status", "--url", url]);
    expect(status.complained).toBe("");
    expect(status.printed).toMatch(/p1 +[0-9a-f]{16} +waiting +0 of 1 +later_action /);
    const alerts = await program(["alerts", "--url", url]);
    expect(alerts.printed).toMatch(
      /firing +critical +PairDisabled .*later_guard: of another version/,
    );
    const remediations = await program(["remediations", "--url", url]);
    expect(remediations.printed).toMatch(/r1 +later_state +enable_exchange/);
  });

  it("show a proposal of a daemon whose overview lacks what this version knows", async () => {
    const whole = await (await fetch(`${(await daemon()).url}/api/v1/overview`)).json();
    const { version, proposals } = whole as Record<string, unknown>;
    const older = await answering(404, {}, '{"error":"no such page"}', {
      "/api/v1/overview": JSON.stringify({ version, proposals }),
    });
    const env = { AGGWATCH_URL: older.url, AGGWATCH_TOKEN_FILE: tokenFile("a-token") };
    const { printed } = await program(["approve", "p1", "--yes", "--reason", "x"], env);
    expect(printed).toMatch(/^p1 \([0-9a-f]{16}\): waiting, 0 of 1 approvals/);
    expect(older.asked).toContain("POST /api/v1/proposals/p1/approve Bearer a-token");
  });

  it("name what is proposed by its alias as well", async () => {
    const { url, world } = await daemon();
    const { proposal } = world.state.tables;
    for (const [key, one] of proposal) {
      const facts = { ...one.shown.facts, alias: "main-pair" };
      proposal.set(key, { ...one, shown: { ...one.shown, facts } });
    }
    const { printed } = await program(["status", "--url", url]);
    expect(printed).toMatch(/p1 .* bsc\/pair\/A\/ORN-USDT \(main-pair\)/);
  });

  it("say before the alerts what holds all repairs back, in the words of the page", async () => {
    const { url, world } = await daemon();
    const since = world.now;
    const about = { since, detail: "the hold h5 of alice has ended" };
    const { storm, quarantine } = world.state.tables;
    storm.set("1", { ...about, rule: "ExchangeDisabled", aggregator: "bsc", detail: "9 are bad" });
    storm.set("2", { ...about, rule: "*", aggregator: "*", clearedAt: since });
    quarantine.set("bsc/pair/A", { since, reason: "undone" });
    const { printed } = await program(["status", "--url", url]);
    expect(printed.split("\n").slice(1, 6)).toEqual([
      "actions: act",
      "notice: Storm: ExchangeDisabled on bsc sends nothing since 2026-01-01 00:00:02 UTC: 9 are bad",
      expect.stringMatching(
        /^notice: Acting by all rules grows slowly until 2026-\S+ \S+ UTC, now 1 an interval: the hold h5 of alice has ended$/,
      ),
      expect.stringMatching(/^notice: Quarantine: bsc\/pair\/A has been left alone since /),
      "alerts: 2 firing (2 critical), 1 pending",
    ]);
  });

  it("say in status what is held, and in the list of the page and of top as well", async () => {
    const { url, world } = await daemon();
    const until = world.now + 3_600_000;
    const actions = async () =>
      (await program(["status", "--url", url])).printed.split("\n")[1] ?? "";
    world.commands({ name: "hold", scope: { kind: "exchange", aggregator: "bsc" }, until });
    expect(await actions()).toMatch(
      /^actions: held \(exchange of bsc, h1 of \w+, until 2026-\S+ \S+ UTC\), otherwise act$/,
    );
    world.commands({ name: "hold", scope: {}, until }).passes("1s");
    expect(await actions()).toMatch(/^actions: held \(everything, h2 of \w+, until [^)]*\)$/);
    expect(await (await fetch(`${url}/plain`)).text()).toContain("actions: held<");
    world.commands({ name: "kill", source: "operator" }).passes("1s");
    expect(await actions()).toBe("actions: stopped");
  });

  it("say nothing of how acting grows while nothing is sent", async () => {
    const { url, world } = await daemon();
    const shown = async () => [
      (await program(["status", "--url", url])).printed,
      await (await fetch(`${url}/plain`)).text(),
    ];
    const slow = { since: world.now, detail: "a hold has ended", clearedAt: world.now };
    world.state.tables.storm.set("1", { ...slow, rule: "*", aggregator: "*" });
    for (const text of await shown()) expect(text).toContain("grows slowly");
    world.commands({ name: "kill", source: "operator" }).passes("1s");
    for (const text of await shown()) expect(text).not.toContain("grows slowly");
  });

  it.each([
    ["storm", "9 of 10 are bad at once"],
    ["cooldown", "2m55s of 1h since the last attempt (0 failed in a row)"],
    ["stale", "last read 9s ago, max_age is 5s"],
  ] as const)("say of when the numbers of a guard are (%s)", async (reason, detail) => {
    const { url, world } = await daemon();
    const suppress = (since: number) => {
      for (const alert of world.state.tables.alert.values())
        if (alert.rule === "PairDisabled") alert.suppressed = { reason, detail, since };
    };
    suppress(world.now - 1_000);
    const alerts = async () => (await program(["alerts", "--url", url])).printed;
    expect(await alerts()).toContain(`${reason}, as of 00:00:01 UTC: ${detail}`);
    suppress(world.now - 600_000);
    expect(await alerts()).toContain(`${reason}, as of 2025-12-31 23:50:02 UTC: ${detail}`);
    const page = await (await fetch(`${url}/plain`)).text();
    expect(page).toContain(`held back (${reason}, as of 2025-12-31 23:50:02 UTC): ${detail}`);
  });

  it("write instants in one way, whoever says them", async () => {
    const instant = "2026-01-01T00:00:01.032Z";
    const { url, world } = await daemon({ notices: () => [`the clock was set at ${instant}`] });
    const detail = `quarantined since ${instant}: undone`;
    for (const alert of world.state.tables.alert.values())
      alert.suppressed = { reason: "quarantined", detail, since: world.now };
    world.state.tables.quarantine.set("bsc/pair/A", { since: world.now, reason: instant });
    const alerts = (await program(["alerts", "--url", url])).printed;
    expect(alerts).toContain("quarantined since 2026-01-01 00:00:01 UTC: undone");
    const status = (await program(["status", "--url", url])).printed;
    expect(status).toContain("notice: the clock was set at 2026-01-01 00:00:01 UTC");
    const page = await (await fetch(`${url}/plain`)).text();
    expect(page).toContain("quarantined since 2026-01-01 00:00:01 UTC: undone");
    expect(`${alerts}${status}`).not.toContain(instant);
  });

  it("say no such instant of what needs no number", async () => {
    const { url, world } = await daemon();
    const detail = "not read since the start";
    for (const alert of world.state.tables.alert.values())
      if (alert.rule === "PairDisabled")
        alert.suppressed = { reason: "stale", detail, since: world.now };
    const { printed } = await program(["alerts", "--url", url]);
    expect(printed).toContain(`stale: ${detail}`);
  });

  it("show the alerts that are asked for, the worst first, within the terminal", async () => {
    const { url } = await daemon();
    const alerts = async (...args: string[]) =>
      (await program(["alerts", "--url", url, ...args])).printed;
    expect((await alerts()).split("\n").map((line) => line.split(" ")[0])).toEqual([
      "STATE",
      "firing",
      "firing",
      "pending",
    ]);
    expect(await alerts("--alertname", "PairDisabled")).toMatch(
      /^STATE.*\nfiring .* PairDisabled [^\n]*$/,
    );
    expect(await alerts("--state", "pending", "--kind", "pair")).toBe(
      "no alert of pair is pending",
    );
    expect(await alerts("--text", "orn usdt", "--entity", "pair/A/ORN-USDT")).toMatch(
      /^STATE.*\nfiring .* PairDisabled [^\n]*$/,
    );
    expect(await alerts("--limit", "1")).toMatch(/\n… and 2 more \(--limit, or a filter\)$/);
    expect(JSON.parse(await alerts("--json", "--alertname", "Later"))).toMatchObject({
      alerts: [{ alertname: "Later", state: "pending" }],
    });
    const narrow = await commandLine(
      ["alerts", "--url", url],
      { NO_COLOR: "1" },
      { isTerminal: true, width: 70 },
    );
    const bright = await program(["alerts", "--url", url, "--color", "always"]);
    expect(bright.printed).toContain("\u001B[31mfiring\u001B[39m");
    expect(narrow.printed.split("\n").filter((line) => line.length > 70)).toEqual([]);
    const wrong = await program(["alerts", "--url", url, "--state", "bad"]);
    expect(wrong).toMatchObject({ exitCode: 2, printed: "" });
  });

  it("show what is watched, the worst first, and how much of it there is", async () => {
    const { url } = await daemon();
    const entities = async (...args: string[]) =>
      (await program(["entities", "--url", url, ...args])).printed;
    const all = (await entities()).split("\n");
    expect(all[0]).toMatch(/^STATE +ENTITY .* STATUS +STATUS FOR +ALERTS$/);
    expect(all[1]).toMatch(/^bad +bsc\//);
    expect(all.at(-1)).toMatch(/^\w+: \d+, \d+ ok/);
    expect(await entities("--limit", "1")).toMatch(/… and \d+ more/);
    expect(await entities("ORN-USDT", "--kind", "pair")).toMatch(/\nbad +bsc\/pair\/A\/ORN-USDT/);
    expect(await entities("nothing is called so")).toBe("no such entity");
    const wrong = await program(["entities", "--url", url, "--limit", "many"]);
    expect(wrong).toMatchObject({ exitCode: 2, printed: "" });
    expect(wrong.complained).toContain("'--limit <number>' argument 'many' is invalid");
  });

  it("tell what happened, the newest at the bottom", async () => {
    const kill = (at: number, detail: string) =>
      ({
        at,
        seq: at,
        finding: { type: "kill", on: true, source: "operator", by: "alice", detail },
      }) as const;
    const asked: PastSpan[] = [];
    const { past } = sourceOf(eventfulWorld());
    const { url } = await daemon({
      past: {
        ...past,
        between: (span) => {
          asked.push(span);
          return { found: [kill(2_000, "the second"), kill(1_000, "the first")], next: undefined };
        },
      },
    });
    const timeline = (...args: string[]) => program(["timeline", "--url", url, ...args]);
    const { printed } = await timeline();
    expect(printed.split("\n")).toEqual([
      expect.stringMatching(/^AT +WHAT +ABOUT +BECAME +WHY$/),
      expect.stringMatching(/^1970-01-01T00:00:01Z +kill +operator +on +the first; by alice$/),
      expect.stringMatching(/^1970-01-01T00:00:02Z +kill +operator +on +the second; by alice$/),
    ]);
    const onTerminal = { isTerminal: true, width: 80 };
    const short = await commandLine(["timeline", "--url", url], { NO_COLOR: "1" }, onTerminal);
    expect(short.printed.split("\n")[1]).toMatch(/^00:00:01 +kill /);
    const limited = await timeline("--limit", "1");
    expect(limited.printed).toMatch(/the second; by alice\n… and older ones/);
    expect(limited.printed).not.toContain("the first");
    expect((await timeline("--text", "FIRST")).printed).not.toContain("the second");
    await timeline("--type", "kill", "--since", "1969-12-31", "--until", "1970-01-01T00:00:01Z");
    expect(asked.at(-1)).toMatchObject({ types: ["kill"], from: -86_400_000, until: 1_000 });
    for (const [filter, known] of [
      ["aggregator", "bsc"],
      ["kind", "pool"],
      ["entity", "pool/X"],
      ["alertname", "Later"],
    ] as const) {
      const none = await timeline(`--${filter}`, known, "--text", "nothing");
      expect(none.printed, filter).toMatch(/^no such thing has happened since .*--since/);
    }
  });

  it("tell the reason of a hold once", async () => {
    const { past } = sourceOf(eventfulWorld());
    const reason = "emergency stop of theirs";
    const hold = { id: "h11", owner: "alice", reason, scope: {}, from: 1_000, until: 9_000 };
    const finding = { type: "hold", change: "began", hold, detail: reason } as const;
    const found = [{ at: 1_000, seq: 1, finding }];
    const { url } = await daemon({
      past: { ...past, between: () => ({ found, next: undefined }) },
    });
    const { printed } = await program(["timeline", "--url", url]);
    expect(printed).toMatch(/h11 \(everything\) +began +emergency stop of theirs; by alice$/);
  });

  it("complain of a timeline that cannot be", async () => {
    const { url } = await daemon();
    const timeline = (...args: string[]) => program(["timeline", "--url", url, ...args]);
    expect(await timeline("--since", "yesterday")).toMatchObject({
      exitCode: 2,
      complained: expect.stringContaining("--since yesterday is neither an instant"),
    });
    expect(await timeline("--since", "2026-02-30")).toMatchObject({
      exitCode: 2,
      complained: expect.stringContaining("--since 2026-02-30 is neither an instant"),
    });
    expect(await timeline("--type", "gossip")).toMatchObject({
      exitCode: 2,
      complained: expect.stringMatching(/--type.*must be some of polled, alert/),
    });
  });

  it("ask again and again if they watch, until they are interrupted", async (context) => {
    const { url } = await daemon();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    context.onTestFinished(() => void vi.useRealTimers());
    const interrupt = new AbortController();
    const printed = createEvents<string>(context, "line");
    const ended = commandLine(
      ["alerts", "--watch", "--url", url],
      {},
      { print: printed.add, signal: interrupt.signal },
    );
    const heads = (count: number) => () =>
      printed.all.filter((line) => line.startsWith("STATE")).length === count;
    await printed.first(heads(1));
    await vi.advanceTimersByTimeAsync(2_000);
    await printed.first(heads(2));
    interrupt.abort();
    expect((await ended).exitCode).toBe(0);
  });

  it("say in the status what is wrong with the watching itself, a line each", async () => {
    const { url } = await daemon({
      unhealthy: () => ["The loop stands still."],
      notices: () => ["What is on disk is not in force: a.yaml:1:2\n  1 | x"],
    });
    const { printed } = await program(["status", "--url", url]);
    expect(printed).toContain("notice: The loop stands still.\n");
    expect(printed).toContain("notice: What is on disk is not in force: a.yaml:1:2\n");
    expect(printed).not.toContain("1 | x");
    expect((await program(["status", "--url", (await daemon()).url])).printed).not.toContain(
      "notice",
    );
  });

  it("print the reply itself for scripts", async () => {
    const { url } = await daemon();
    const { printed } = await program(["status", "--json", "--url", url]);
    expect(JSON.parse(printed)).toMatchObject({ version: "1.2.3", proposals: [{ id: "p1" }] });
  });

  it("never ask for the whole status for people, as it grows with all that is watched", async () => {
    const status = vi.fn<ServerSource["status"]>();
    const { url } = await daemon({ status });
    const env = { AGGWATCH_URL: url, AGGWATCH_TOKEN_FILE: tokenFile("a-token") };
    for (const args of [["status"], ["rules"], ["approve", "p1", "--yes", "--reason", "x"]])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await program(args, env)).toMatchObject({ exitCode: 0, complained: "" });
    expect(status).not.toHaveBeenCalled();
  });

  it("send the token of the file, and no other way", async () => {
    const { url, asked, world } = await daemon();
    const file = tokenFile("a-token\n");
    const digest = [...world.state.tables.proposal.values()][0]?.digest ?? "";
    const args = ["approve", "p1", "--digest", digest, "--reason", "it is fine", "--url", url];
    const done = await program([...args, "--token-file", file]);
    expect(done).toMatchObject({ exitCode: 0, complained: "" });
    expect(done.printed).toMatch(/^done: approved enable_pair/);
    expect(asked).toEqual(["Bearer a-token"]);
    expect(world.found("command")).toMatchObject([{ by: "alice", reason: "it is fine" }]);
    expect(await program([...args, "--token", "a-token"])).toMatchObject({ exitCode: 2 });
    const without = await program(args);
    expect(without).toMatchObject({ exitCode: 1, printed: "" });
    expect(without.complained).toContain("--token-file or AGGWATCH_TOKEN_FILE");
  });

  it("show what is approved, ask, and approve just that", async () => {
    for (const [typed, exitCode, found] of [
      ["yes", 0, [{ name: "approve", accepted: true }]],
      ["no", 1, "nothing was approved"],
      ["", 1, "nothing was approved"],
      ["y", 1, "nothing was approved: only the whole word yes approves"],
    ] as const) {
      const { url, world } = await daemon();
      const questions: string[] = [];
      const ask = async (question: string): Promise<string> => {
        questions.push(question);
        return typed;
      };
      const args = ["approve", "p1", "--reason", "it is fine", "--url", url];
      const own = [...args, "--token-file", tokenFile("a-token")];
      const done = await program(own, {}, { ask });
      expect(done.exitCode).toBe(exitCode);
      expect(questions).toEqual(["Approve this? yes/no: "]);
      const [proposal] = world.state.tables.proposal.values();
      expect(done.printed).toMatch(/^p1 \([0-9a-f]{16}\): waiting, 0 of 1 approvals, expires /);
      expect(done.printed).toContain("\n  enable_pair of bsc/pair/A/ORN-USDT by PairDisabled\n");
      expect(done.printed).toContain("\n  request: enablePair exchange=A assetPair=ORN-USDT\n");
      expect(done.printed).toContain("\n  asset_pair: ORN-USDT\n");
      if (typeof found === "string") expect(done.complained).toBe(found);
      const commands = typeof found === "string" ? [] : found;
      expect(world.found("command")).toMatchObject(commands);
      expect(proposal?.approvals).toHaveLength(commands.length);
    }
  });

  it("approve what changes while the person reads only if it is read again", async () => {
    const { url, world } = await daemon();
    const ask = async (): Promise<string> => {
      const [pair] = world.truth.get("bsc/exchanges/all")?.slice(1) ?? [];
      if (pair === undefined) throw new Error("there is no pair");
      world.sees("exchanges", [{ ...pair, facts: { ...pair.facts, name: "another" } }]);
      return "yes";
    };
    const args = ["approve", "p1", "--reason", "it is fine", "--url", url];
    const late = await program([...args, "--token-file", tokenFile("a-token")], {}, { ask });
    expect(late.exitCode).toBe(1);
    expect(late.complained).toContain(
      "refused (409): no proposal p1 waits: p2 took its place (p1 was withdrawn: name was A/ORN-USDT, is another)",
    );
    expect([...world.state.tables.proposal.values()][0]?.approvals).toEqual([]);
  });

  it("approve without a terminal by digest or --yes only", async () => {
    const { url, world } = await daemon();
    const args = ["approve", "p1", "--reason", "it is fine", "--url", url];
    const own = [...args, "--token-file", tokenFile("a-token")];
    const unasked = await program(own);
    expect(unasked.exitCode).toBe(2);
    expect(unasked.complained).toContain("--digest names what you have read");
    expect(world.found("command")).toEqual([]);
    const gone = await program(["approve", "p7", ...own.slice(2), "--yes"]);
    expect(gone.complained).toMatch(/^refused \(409\): no proposal p7 waits/);
    const done = await program([...own, "--yes", "--json"]);
    expect(JSON.parse(done.printed)).toMatchObject({ accepted: true });
    expect(done.complained).toMatch(/^p1 /);
  });

  it("say all that is wrong with a line at once, and each problem once", async () => {
    const told = await program(["hold", "--for", "3x", "--reason", " "]);
    expect(told.exitCode).toBe(2);
    expect(told.complained.split("\n")).toEqual([
      "missing: --reason (aggwatch hold --help)",
      expect.stringMatching(/^say what it covers: /),
      expect.stringMatching(/^--for: must be a duration/),
    ]);
  });

  it.each([
    [["hold", "exchange/A", "--for", "1h"], 2, "missing: --reason (aggwatch hold --help)"],
    [
      ["hold", "exchange/A", "--for", "1h", "--reason", " "],
      2,
      "missing: --reason (aggwatch hold --help)",
    ],
    [["approve", "p1"], 2, "missing: --reason (aggwatch approve --help)"],
    [["watch", "add", "sender"], 2, "missing: TARGET, --reason (aggwatch watch --help)"],
    [["watch", "list", "--alias", "a"], 2, "watch list takes no --alias (aggwatch watch --help)"],
    [["watch", "add", "sender", "0x1", "--limit", "5"], 2, "watch add takes no --limit"],
    [["watch", "remove", "sender", "0x1", "--alias", "a"], 2, "watch remove takes no --alias"],
    [["alerts", "--all", "--state", "firing"], 2, "cannot be used with option"],
    [["mcp", "--json"], 2, "unknown option '--json'"],
    [["probe", "--force"], 2, "--force is about the file of --write"],
    [["replies", "3", "--limit", "5"], 2, "replies ID takes no --limit"],
    [["hold", "--for", "1h", "--reason", "x"], 2, "say what it covers"],
    [["hold", "exchange", "--everything", "--for", "1h", "--reason", "x"], 2, "cannot be combined"],
    [["approve", "--reason", "x"], 2, "missing required argument 'proposal'"],
    [["status", "--url", "nowhere"], 2, "nowhere is not an address"],
    [["status", "--url", "http://me:s3cret@h"], 2, "--url: an address here has no user and no"],
    [["status", "--url", "me:s3cret@h"], 2, "--url: h is not an address"],
    [["status", "--url", "http://127.0.0.1:1"], 1, "no aggwatch answers at http://127.0.0.1:1"],
    [["kill", "--reason", "x", "--token-file", MISSING], 1, `${MISSING}: no such file`],
  ])("say what is wrong with %s", async (args, exitCode, complaint) => {
    const told = await program(args);
    expect(told.exitCode).toBe(exitCode);
    expect(told.complained).toContain(complaint);
    expect(told.complained).not.toContain("s3cret");
  });

  it("say that a proxy may not reach aggwatch, and of a change that it may have been made", async () => {
    const { url } = await answering(504, {}, "<html>");
    const why = `what answers at ${url} is not aggwatch (status 504): does a proxy stand there that cannot reach aggwatch?`;
    expect((await program(["status", "--url", url])).complained).toBe(why);
    const env = { AGGWATCH_URL: url, AGGWATCH_TOKEN_FILE: tokenFile("a-token") };
    const killed = await program(["kill", "--reason", "x"], env);
    expect(killed.complained).toBe(`${why} It may have been done.`);
  });

  it("say so of a proxy too that gives a reason", async () => {
    const { url } = await answering(504, {}, '{"status":504,"error":"Gateway Timeout"}');
    const env = { AGGWATCH_URL: url, AGGWATCH_TOKEN_FILE: tokenFile("a-token") };
    const { complained } = await program(["kill", "--reason", "x"], env);
    expect(complained).toMatch(/\(status 504\): does a proxy .* It may have been done\.$/);
  });

  it("say that what answers is not aggwatch, or does not speak TLS", async () => {
    const other = await answering(404, {}, '{"error":{"code":9004,"reason":"no such path"}}');
    expect((await program(["status", "--url", other.url])).complained).toBe(
      `${other.url} is not aggwatch, or one of another version: status 404`,
    );
    const url = other.url.replace("http:", "https:");
    expect((await program(["status", "--url", url])).complained).toMatch(
      /^no aggwatch answers at \S+ \(what answers does not speak TLS \([A-Z_]+\): is it an http URL\?\)\. Does/,
    );
  });

  it("say every reason of a refusal", async () => {
    const { url } = await daemon();
    const env = { AGGWATCH_URL: url, AGGWATCH_TOKEN_FILE: tokenFile("a-token") };
    const args = ["hold", "exchnge/A", "--rule", "None", "--for", "1h", "--reason", "x"];
    const told = await program(args, env);
    expect(told.exitCode).toBe(1);
    expect(told.complained).toContain("refused (400): the body is wrong");
    expect(told.complained).toContain('\n  scope.kind: there is no kind "exchnge"');
    expect(told.complained).toContain('\n  scope.rule: there is no rule "None"');
    expect(await program(["release", "h9", "--reason", "x"], env)).toMatchObject({
      exitCode: 1,
      complained: "refused (409): no hold h9 stands",
    });
  });

  it("refuse a token file that holds more than a token", async () => {
    const env = { AGGWATCH_TOKEN_FILE: tokenFile("name: alice\ntoken: x\n") };
    const told = await program(["kill", "--reason", "x"], env);
    expect(told.complained).toContain("must hold one token, and nothing else");
    expect(told.complained).not.toContain("alice");
  });

  it("refuse a token that is too long, with its length and its file, and without a call", async () => {
    const { url, asked } = await daemon();
    const file = tokenFile(`${"s3cret".repeat(200)}\n`);
    const told = await program(["kill", "--reason", "x", "--url", url, "--token-file", file]);
    expect(told).toMatchObject({
      exitCode: 1,
      complained: `the token file ${file}: the token is too long: it has 1200 characters, and a token has at most 1000. Make a shorter one (docs/operations.md says how).`,
    });
    expect(asked).toEqual([]);
  });

  it("follow no redirect with the token, and take no other server for aggwatch", async () => {
    const env = { AGGWATCH_TOKEN_FILE: tokenFile("a-token") };
    const elsewhere = await answering(200, {}, "{}");
    const moved = await answering(307, { location: elsewhere.url }, "");
    const args = ["kill", "--reason", "x", "--url"];
    expect((await program([...args, moved.url], env)).exitCode).toBe(1);
    expect(elsewhere.asked).toEqual([]);
    const strange = await program([...args, elsewhere.url], env);
    expect(strange).toMatchObject({ exitCode: 1, printed: "" });
    expect(strange.complained).toContain("the reply is not as expected");
    const page = await answering(200, {}, "<html>welcome</html>");
    expect((await program(["status", "--url", page.url])).complained).toContain("is not JSON");
  });

  it("leave their own variables to themselves: the daemon's settings do not know them", async () => {
    const env = { AGGWATCH_URL: "http://127.0.0.1:1", AGGWATCH_TOKEN_FILE: MISSING };
    const { complained } = await program(["check"], env);
    expect(complained).not.toContain("unknown variable");
  });
});

describe("a table", () => {
  it("has columns as wide as their longest cell", () => {
    expect(
      table(
        ["id", "why"],
        [
          ["h1", "maintenance"],
          ["h10000", "x"],
        ],
      ),
    ).toEqual(["ID      WHY", "h1      maintenance", "h10000  x"]);
  });

  it("shows what would steer a terminal", () => {
    expect(plain("a\u001b[2Jb\u202ec\r")).toBe("a\ufffd[2Jb\ufffdc\ufffd");
  });
});
