import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Backtest } from "../../../src/backtest/backtest.ts";
import { reportProblem } from "../../../src/cli/print/report-file.ts";
import { commandLine } from "../command-line.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";

const REPLAY = join(import.meta.dirname, "../../replays/schema-3");
/** Beside this file there is none of this name. */
const MISSING = join(import.meta.dirname, "no-such-file");
const JOURNAL = join(REPLAY, "journal.sqlite");
const CA = join(import.meta.dirname, "../../fixtures/tls/ca.pem");

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { exitCode, printed, complained } = await commandLine(["backtest", ...args]);
  return { code: exitCode, out: printed, err: complained };
}

let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  room = temporaryDirectory();
});
afterEach(() => room.remove());

describe("aggwatch backtest", () => {
  it("prints alerts, how long each was bad, the guards, and what is an open loop", async () => {
    const { code, out } = await run("--data", JOURNAL, "--rules", REPLAY);
    expect(code).toBe(0);
    expect(out).toMatch(/\* .*ExchangeDisabled {2}exchange KUCOIN of sim +bad for 1s132ms/);
    expect(out).toMatch(/ {3}2.* PollFailing +poller pools of sim +bad for 14s/);
    // It left the watch list.
    expect(out).toMatch(
      /liquidation 0x35b0\w+ of sim +bad for 8s314ms +resolved .*Z \(unwatched\)/,
    );
    expect(out).toContain("By guard: starting 6");
    expect(out).toMatch(/\* Open loop: .*\n.* sim\/exchange\/BINANCE {2}an action was really sent/);
  });

  it("prints the difference of two sets of rules, with an exit code of its own", async () => {
    const rules = join(room.path, "rules");
    mkdirSync(rules);
    const none = `groups: [{ name: a, rules: [{ alert: PollFailing, each: poller, when: "!poller.up" }] }]`;
    writeFileSync(join(rules, "rules.yaml"), none);
    const { code, out } = await run("--data", JOURNAL, "--rules", rules, "--against", REPLAY);
    expect(code).toBe(4);
    expect(out).toContain("-6 alerts (of 9), no other actions (of 0)");
    const same = await run("--data", JOURNAL, "--rules", REPLAY, "--against", REPLAY);
    expect(same.code).toBe(0);
    expect(same.out).toContain("no other alerts (of 9)");
  });

  it("tries rules by a config whose maintenance windows are for other rules and aggregators", async () => {
    const config = join(room.path, "aggwatch.json");
    const scope = { aggregator: "bsc", rule: "Other" };
    const window = { name: "n", schedule: "0 2 * * *", duration: "1h", reason: "r", scope };
    const aggregators = [{ base_url: "https://aggregator.example/bsc" }];
    writeFileSync(config, JSON.stringify({ aggregators, maintenance: [window] }));
    const { err, code } = await run("--config", config, "--data", JOURNAL, "--rules", REPLAY);
    expect([err, code]).toEqual(["", 0]);
  });

  it("reads the record where the config says that it is, and refuses one in a database", async () => {
    const config = join(room.path, "aggwatch.yaml");
    const data = join(room.path, "own data");
    mkdirSync(data);
    copyFileSync(JOURNAL, join(data, "journal.sqlite"));
    const args = ["--config", config, "--rules", REPLAY];
    writeFileSync(config, `data: ${data}\n`);
    expect((await run(...args)).out).toContain("exchange KUCOIN of sim");
    const url = join(room.path, "url");
    writeFileSync(url, "postgres://127.0.0.1:1/none", { mode: 0o600 });
    writeFileSync(config, `data: ${data}\njournal: { postgres: { url_file: "${url}" } }\n`);
    const { err, code } = await run(...args);
    expect(err).toMatch(/journal is in PostgreSQL: make a backup with .* and say --data FILE\.$/);
    expect(code).toBe(1);
    expect((await run(...args, "--data", JOURNAL)).code).toBe(0);
    const env = { AGGWATCH_DATA: data };
    expect((await commandLine(["backtest", ...args], env)).exitCode).toBe(0);
    // The image names a directory in any case.
    const empty = { AGGWATCH_DATA: join(room.path, "none") };
    expect((await commandLine(["backtest", ...args], empty)).complained).toBe(err);
  });

  it("does not take a path that it cannot look at for one where nothing is", async () => {
    // As the directory of another user is; root may look into all but this.
    const loop = join(room.path, "loop");
    symlinkSync(loop, loop);
    const { err, code } = await run("--data", loop, "--rules", REPLAY);
    expect(err).toMatch(/^\S+loop cannot be read \(ELOOP/);
    expect(code).toBe(1);
  });

  it("gives all of it as JSON", async () => {
    const { out } = await run("--data", JOURNAL, "--rules", REPLAY, "--json", "--since", "20s");
    expect(JSON.parse(out)).toMatchObject({
      until: 1_795_274_928_160,
      since: 1_795_274_908_160,
      outcome: { divergences: [{ why: "not_sent" }, { why: "not_sent" }] },
    });
  });

  it("leaves out the entities that the limits of the config leave out", async () => {
    const config = join(room.path, "aggwatch.yaml");
    writeFileSync(config, "limits: { entities: 1, entities_per_entry: 1 }");
    const args = ["--data", JOURNAL, "--rules", REPLAY, "--json"];
    const alertsOf = ({ out }: { readonly out: string }): readonly string[] => {
      const { outcome } = JSON.parse(out) as Pick<Backtest, "outcome">;
      return outcome.alerts.map(({ entity }) => `${entity.kind} ${entity.id}`);
    };
    const all = alertsOf(await run(...args));
    const few = alertsOf(await run(...args, "--config", config));
    expect(all).toContain("exchange KUCOIN");
    expect(few).not.toContain("exchange KUCOIN");
  });

  /** The journal with some pages of its record overwritten. */
  function damaged(which: string): string {
    const file = join(room.path, "damaged.sqlite");
    copyFileSync(JOURNAL, file);
    const database = new DatabaseSync(file);
    database.exec(`UPDATE record SET body = x'a5a5a5' WHERE ${which}`);
    database.close();
    return file;
  }

  it("refuses a record of which nothing can be read", async () => {
    const args = ["--data", damaged("whole = 1"), "--rules", REPLAY];
    for (const more of [[], ["--against", REPLAY], ["--json"]]) {
      const { code, out, err } = await run(...args, ...more);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(/nothing of that time can be read from the record:\n {2}page 1 of the/);
    }
  });

  it("says nothing of a time that cannot be read: its alerts end where that begins", async () => {
    const { code, out } = await run("--data", damaged("seq > 25"), "--rules", REPLAY);
    expect(code).toBe(0);
    expect(out).toContain("No observations in 1 gap, 20s in total.");
    expect(out).toMatch(
      /ExchangeDisabled +exchange BINANCE .* bad for 4s\d+ms +not known from 2026-11-21T15:28:28Z on/,
    );
    expect(out).not.toMatch(/fires at the end|still fire/);
    expect(out).toContain("Nothing is known of 20s of it (54 %).");
  });

  it("replays what can be read after a part that cannot", async () => {
    const { code, out } = await run("--data", damaged("seq = 1"), "--rules", REPLAY);
    expect(code).toBe(0);
    expect(out).toContain("No observations in 1 gap, 31s in total.");
    expect(out).toContain("Alerts by");
    expect(out).toContain("fires at the end");
  });

  it("knows nothing of the end of a time that ends in a gap", async () => {
    const until = ["--until", "2026-11-21T15:28:35Z"];
    const { out } = await run("--data", JOURNAL, "--rules", REPLAY, ...until);
    expect(out).toMatch(/PollFailing +poller pools .* not known from 2026-11-21T15:28:30Z on/);
    expect(out).not.toContain("fires at the end");
    expect(out).toContain("No observations in 1 gap, 4s765ms in total.");
  });

  it("ends with a verdict, and writes it with a timeline into one file", async () => {
    const file = join(room.path, "report.html");
    const { code, out, err } = await run("--data", JOURNAL, "--rules", REPLAY, "--html", file);
    expect(code).toBe(0);
    expect(err).toBe(`the report is in ${file}`);
    expect(out).toMatch(
      /\nVerdict: Of 3 rules, 3 fired: 9 alerts in 37s\. At the end 2 still fire\.\n/,
    );
    const report = readFileSync(file, "utf8");
    expect(report).toContain("Of 3 rules, 3 fired: 9 alerts in 37s.");
    expect(report).toMatch(/<svg[^>]* aria-label="Timeline">/);
    expect(report).toContain("PollFailing poller pools");
  });

  it("says before the replay that its report cannot be written, and leaves the file as it is", async () => {
    const nowhere = join(room.path, "none", "report.html");
    for (const [file, why] of [
      [room.path, "is a directory"],
      [nowhere, "no such file or directory"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const bad = await run("--data", JOURNAL, "--rules", REPLAY, "--html", file);
      expect(bad).toMatchObject({ code: 1, out: "" });
      expect(bad.err).toBe(`--html ${file}: it cannot be written: ${why}`);
    }
    const kept = join(room.path, "kept.html");
    writeFileSync(kept, "old");
    expect(reportProblem(kept)).toBeUndefined();
    expect(readFileSync(kept, "utf8")).toBe("old");
    const fresh = join(room.path, "fresh.html");
    expect(reportProblem(fresh)).toBeUndefined();
    expect(existsSync(fresh)).toBe(false);
    const link = join(room.path, "link.html");
    symlinkSync(fresh, link);
    expect(reportProblem(link)).toBeUndefined();
    expect([readlinkSync(link), existsSync(fresh)]).toEqual([fresh, false]);
  });

  it("ends with a problem if its report cannot be written after all", async () => {
    const full = await run("--data", JOURNAL, "--rules", REPLAY, "--html", "/dev/full");
    expect(full.out).toContain("\nVerdict: ");
    expect(full.code).toBe(1);
    expect(full.err).toMatch(
      /^--html \/dev\/full: it cannot be written: .*no space left on device/,
    );
  });

  it.each([
    ["several aggregators", "[{ base_url: http://a.example }, { base_url: http://b.example }]"],
    ["tls", `[{ base_url: https://a.example, tls: { ca_file: ${CA} } }]`],
    ["what a variable gives", `[{ name: bsc, tls: { ca_file: ${CA} } }]`],
    ["no aggregator", "[]"],
  ])("takes the limits of actions from a config with %s", async (_, aggregators) => {
    const config = join(room.path, "aggwatch.yaml");
    const actions = "{ settle_after_start: 0s }";
    writeFileSync(config, `aggregators: ${aggregators}\nactions: ${actions}\n`);
    const args = ["--data", JOURNAL, "--rules", REPLAY, "--config", config];
    const { code, out, err } = await run(...args);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).not.toContain("By guard: starting");
  });

  it.each([
    [["--data", MISSING], `${MISSING} is not there`],
    [["--data", "package.json"], "cannot be read as a journal"],
    [["--data", JOURNAL, "--since", "2030-01-01"], "outside the record"],
    [["--data", JOURNAL, "--against", MISSING], "the rules cannot be read"],
    [["--data", JOURNAL, "--since", "3parsecs"], "neither an instant", 2],
  ] as const)("says what is wrong: %j", async (args, problem, expected: number = 1) => {
    const { code, err } = await run(...args, "--rules", REPLAY);
    expect(code).toBe(expected);
    expect(err).toContain(problem);
  });
});
