import { parentPort } from "node:worker_threads";
import { actionsByName } from "../actions/index.ts";
import { renderProblems } from "../config/problem.ts";
import { compileRules } from "../config/rules/rules.ts";
import { indexRules } from "../core/policy.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import type { Instant } from "../domain/time.ts";
import { storedPage, unitOfPage, type PackedPage } from "../io/journal/record-pages.ts";
import type { StoredFinding } from "../io/journal/rows.ts";
import { kinds } from "../pollers/kinds.ts";
import type { BacktestAsked, BacktestReply } from "../run/backtest/asked.ts";
import { runBacktest, unreadable } from "./backtest.ts";
import { comparedWith } from "./compared.ts";
import { gatherOutcome } from "./outcome.ts";

/** The entry point of the thread in which a daemon replays its past by the rules in force. */

type Replay = Extract<BacktestAsked, { readonly type: "replay" }>;

const post = (reply: BacktestReply): void => parentPort?.postMessage(reply, []);

const pages: PackedPage[] = [];
const findings: StoredFinding[] = [];

parentPort?.on("message", (asked: BacktestAsked) => {
  if (asked.type === "pages") pages.push(...asked.pages);
  else if (asked.type === "findings") findings.push(...asked.findings);
  else {
    const done = backtest(asked);
    post(done.ok ? done.value : { type: "failed", problem: done.problem });
  }
});

function backtest({
  rules: files,
  otherAlerts,
  acting,
  limits,
  since,
  until,
}: Replay): Result<BacktestReply, string> {
  const begun = pages.filter(({ at }) => at <= until);
  if (begun.length === 0) return fail("the record has nothing of that time");
  const compiled = compileRules({ files, kinds, actions: actionsByName, otherAlerts });
  if (!compiled.ok) return fail(renderProblems(compiled.problem));
  const rules = compiled.value;
  const byUnit = Map.groupBy(pages, ({ seq }) => unitOfPage(seq));
  const source = {
    units: [...byUnit.keys()],
    // There may be more pages than a call takes arguments.
    firstAt: begun.reduce((first, { at }) => Math.min(first, at), until),
    lastAt: Math.min(
      until,
      begun.reduce((last, page) => Math.max(last, page.until), 0),
    ),
    *pages(_from: Instant, unit: string) {
      for (const page of byUnit.get(unit) ?? []) yield storedPage(page);
    },
  };
  const onProgress = (progress: number): void => post({ type: "progress", progress });
  const run = runBacktest(source, { rules, acting, limits, since, until, onProgress });
  const problem = unreadable(run);
  if (problem !== undefined) return fail(problem);
  const actual = gatherOutcome(indexRules(rules).rules, run.since);
  for (const { at, finding } of findings.toReversed()) actual.onFinding(at, finding);
  const result = comparedWith(run, actual.outcome(run.until));
  return succeed({ type: "done", result });
}
