import { describe, expect, test } from "vitest";
import type { Remediation } from "../../src/domain/remediation.ts";
import type { LoggedRequest } from "../../src/simulator/routes/request-log.ts";
import { auditSending } from "../kill/audit.ts";
import { BOUNDARIES } from "../kill/boundaries.ts";
import { runKillLoop } from "../kill/kill-loop.ts";

/** `npm run test:kill` does the same at every boundary, many times. */
const SOME = BOUNDARIES.filter(({ name }) =>
  [
    "before the commit: remediation requested",
    "after the commit: remediation requested",
    "action arrives",
    "action has its effect",
    "after the commit: remediation in_doubt",
    "random instant",
  ].includes(name),
).slice(0, 6);

describe("a daemon that is killed again and again", () => {
  test("sends nothing twice, loses nothing, keeps to its budgets, and forgets no alert", async () => {
    const figures = await runKillLoop({ kills: SOME.length, seed: 7, boundaries: SOME });
    const { duplicates, lost, outsideBudget, broken } = figures;
    expect({ duplicates, lost, outsideBudget, broken }).toEqual({
      duplicates: [],
      lost: [],
      outsideBudget: [],
      broken: [],
    });
    expect(figures.actionsSent).toBeGreaterThan(0);
    expect(figures.actionsSent).toBeLessThanOrEqual(figures.requested);
    expect(Object.keys(figures.byBoundary).length).toBeGreaterThanOrEqual(3);
  }, 60_000);
});

describe("the audit of the request log", () => {
  const post = (at: number): LoggedRequest => ({
    number: at,
    at,
    method: "POST",
    path: "/api/v1/exchange/toggle/OKX",
    query: {},
    endpoint: "enableExchange",
    status: 200,
    applied: true,
    faults: [],
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

  test("sees a budget that is overspent", () => {
    expect(audit([], [1_000, 2_000, 3_000]).outsideBudget).toEqual(["global at 3000"]);
    expect(audit([], [1_000, 2_000, 11_000]).outsideBudget).toEqual([]);
  });
});
