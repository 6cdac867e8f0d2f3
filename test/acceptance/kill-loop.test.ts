import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, type TestContext } from "vitest";
import type { Change } from "../../src/domain/step.ts";
import type { Remediation } from "../../src/domain/remediation.ts";
import { JOURNAL_FILE, openJournal } from "../../src/io/journal/journal.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import type { Home } from "./daemon.ts";
import type { Request } from "../kill/aggregator.ts";
import { auditSending } from "../kill/audit.ts";
import { BOUNDARIES } from "../kill/boundaries.ts";
import { brokenFile, downgrade, pictureOf } from "../kill/house.ts";
import { runKillLoop } from "../kill/kill-loop.ts";
import { untold } from "../kill/receiver.ts";

/** `npm run test:kill` does the same at every boundary, many times. */
const SOME = BOUNDARIES.filter(({ name }) =>
  [
    "after the commit: remediation requested",
    "action arrives",
    "action has its effect",
    "the journal is being checked",
    "within the step to schema 2",
  ].includes(name),
);

describe("a daemon that is killed again and again", () => {
  test("sends nothing twice, loses nothing, keeps to its budgets, and forgets no alert", async () => {
    const figures = await runKillLoop({ kills: SOME.length, seed: 7, boundaries: SOME });
    const { duplicates, lost, untold, outsideBudget, broken } = figures;
    expect({ duplicates, lost, untold, outsideBudget, broken }).toEqual({
      duplicates: [],
      lost: [],
      untold: [],
      outsideBudget: [],
      broken: [],
    });
    expect(figures.actionsSent).toBeGreaterThan(0);
    expect(figures.actionsSent).toBeLessThanOrEqual(figures.requested);
    expect(Object.keys(figures.byBoundary).length).toBeGreaterThanOrEqual(3);
  });
});

describe("what a killed daemon leaves", () => {
  const filled = (context: TestContext): Home => {
    const { path, remove } = temporaryDirectory();
    context.onTestFinished(remove);
    const change = { table: "hold" as const, key: "h1", value: { id: "h1" } };
    const opened = openJournal(path);
    if (!opened.ok) throw new Error(opened.problem);
    opened.value.commit({ at: 1, changes: [change], findings: [] });
    opened.value.close();
    return { config: "", rules: "", data: path, killFile: "" };
  };
  const change = (home: Home, sql: string): void => {
    const database = new DatabaseSync(join(home.data, JOURNAL_FILE));
    database.exec(sql);
    database.close();
  };

  test("is whole at every schema, and keeps its rows through a migration", (context) => {
    const home = filled(context);
    const before = pictureOf(home);
    expect(brokenFile(home)).toEqual([]);
    downgrade(home);
    expect(brokenFile(home)).toEqual([]);
    expect(pictureOf(home)).toEqual(before);
  });

  test("is seen to be half migrated, whichever half it is", (context) => {
    const home = filled(context);
    downgrade(home);
    change(home, "PRAGMA user_version = 2");
    expect(brokenFile(home)).toEqual([expect.stringMatching(/^half migrated/)]);
    change(home, "PRAGMA user_version = 1; CREATE TABLE record (seq INTEGER)");
    expect(brokenFile(home)).toEqual([expect.stringMatching(/^half migrated/)]);
  });

  test("is seen to be damaged", (context) => {
    const home = filled(context);
    change(home, "INSERT INTO finding (at, type, body) VALUES (1, 'kill', 'half a te')");
    expect(brokenFile(home)).toEqual(["the finding 1: not JSON"]);
  });
});

describe("the audit of notifications", () => {
  const alert = (key: string, state: string) => ({ table: "alert", key, value: { key, state } });
  const rows = [alert("a", "firing"), alert("b", "resolved"), alert("c", "pending")] as Change[];

  test("takes what the receiver heard last of each alert, and sees what it did not hear", () => {
    const heard = (a: string, b: string) =>
      untold({ rows, findings: [] }, new Map(Object.entries({ "alert a": a, "alert b": b })));
    expect(heard("firing", "resolved")).toEqual([]);
    expect(heard("firing", "firing")).toEqual(["b is resolved, and the receiver heard firing"]);
    expect(untold({ rows, findings: [] }, new Map())).toHaveLength(2);
  });
});

describe("the audit of the request log", () => {
  const post = (at: number): Request => ({
    at,
    method: "POST",
    path: "/api/v1/exchange/toggle/OKX",
  });
  const remediation = (id: string, requestedAt: number): Remediation => {
    const entity = { aggregator: "sim", kind: "exchange", id: "OKX" };
    return { id, requestedAt, entity, rule: "ExchangeDisabled" } as Remediation;
  };
  const audit = (posts: readonly number[], requested: readonly number[]) =>
    auditSending(
      posts.map((at) => post(at)),
      {
        rows: requested.map((at, index) => ({
          table: "remediation",
          key: `r${index}`,
          value: remediation(`r${index}`, at),
        })),
        findings: [],
      },
      { global: { max: 2, perMs: 10_000 } },
    );

  test("takes one request for each remediation, and one that was never sent", () => {
    expect(audit([1_010], [1_000, 20_000])).toMatchObject({ duplicates: [], outsideBudget: [] });
  });

  test("sees a second request for a remediation, and one that has none", () => {
    expect(audit([1_010, 1_900], [1_000]).duplicates).toHaveLength(1);
    expect(audit([1_010], [5_000]).duplicates).toHaveLength(1);
  });

  test("sees a request for one that is written as unsent, though one before it had none", () => {
    const rows = [1_000, 20_000].map((at, index) => ({
      table: "remediation" as const,
      key: `r${index}`,
      value: { ...remediation(`r${index}`, at), ...(index === 1 ? { unsent: true } : {}) },
    }));
    const budgets = { global: { max: 2, perMs: 10_000 } };
    const picture = { rows, findings: [] };
    expect(auditSending([post(1_010)], picture, budgets).duplicates).toEqual([]);
    expect(auditSending([post(20_010)], picture, budgets).duplicates).toHaveLength(1);
  });

  test("sees a budget that is overspent", () => {
    expect(audit([], [1_000, 2_000, 3_000]).outsideBudget).toEqual(["global at 3000"]);
    expect(audit([], [1_000, 2_000, 11_000]).outsideBudget).toEqual([]);
  });
});
