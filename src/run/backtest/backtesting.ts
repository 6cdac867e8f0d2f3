import type { BacktestedTime, Backtesting, BacktestStatus } from "../../io/api/backtest/answer.ts";
import { ruleText } from "../../io/api/details/rule-text.ts";
import { namedInForce, TRIED_FILE } from "../../io/api/trial/tried-rules.ts";
import { journalView, type PastSource } from "../../io/api/past/journal-view.ts";
import { newestFirst } from "../../io/api/past/newest-first.ts";
import type { JournalReading } from "../../io/journal/past.ts";
import { parseAlertKey } from "../../domain/alert.ts";
import { alertOf } from "../../domain/finding.ts";
import { messageOf } from "../../domain/error-message.ts";
import { beginThread, type EndableThread } from "../../io/process/endable-thread.ts";
import { ownModule } from "../../io/process/own-files.ts";
import type { StoredFinding } from "../../io/journal/rows.ts";
import type { Policy } from "../../domain/step.ts";
import { DAY, type Instant } from "../../domain/time.ts";
import { handOver } from "../../record/past/hand-over.ts";
import type { BacktestAsked, BacktestReply } from "./asked.ts";

type BacktestWorld = {
  readonly past: JournalReading;
  readonly policy: () => Policy;
  readonly view: PastSource["view"];
  readonly now: () => Instant;
};

/** How many findings are handed over at once. */
const FINDINGS_AT_ONCE = 500;
const IDLE: BacktestStatus = { state: "idle", progress: 0 };

/** One backtest at a time, in a thread that ends with it. */
export function createBacktesting(
  world: BacktestWorld,
): Backtesting & { readonly close: () => Promise<void> } {
  let status = IDLE;
  let running: EndableThread | undefined;

  async function end(change: Partial<BacktestStatus>, of = running): Promise<void> {
    if (of === undefined || of !== running) return;
    running = undefined;
    status = { ...status, ...change };
    await of.end();
  }

  function onReply(reply: BacktestReply, of: EndableThread): void {
    if (of !== running) return;
    if (reply.type === "progress") status = { ...status, progress: reply.progress };
    else if (reply.type === "done")
      void end({ state: "done", progress: 1, result: reply.result }, of);
    else void end({ state: "failed", problem: reply.problem }, of);
  }

  return {
    status: () => status,
    start: (by, asked) => {
      const { id, since, until, tried } = asked;
      if (running !== undefined) return false;
      const own = beginThread(ownModule("backtest/backtest-thread.ts"));
      const { worker } = own;
      running = own;
      const names = tried && [...tried.rules];
      status = { state: "running", since, until, by, id, tried: names, progress: 0 };
      const fail = (problem: string): void => void end({ state: "failed", problem }, own);
      worker
        .on("message", (reply: BacktestReply) => onReply(reply, own))
        // As a rule, its memory did not suffice.
        .on("error", (error) => fail(`${messageOf(error)}; try a shorter time`));
      const isWanted = (): boolean => own === running;
      const ask = (said: BacktestAsked, moved: readonly ArrayBuffer[] = []): void => {
        if (isWanted()) worker.postMessage(said, [...moved]);
      };
      const begin = async (): Promise<void> => {
        const problem = await feed(world, asked, ask, isWanted);
        if (problem !== undefined) fail(problem);
      };
      begin().catch((error: unknown) => fail(messageOf(error)));
      return true;
    },
    cancel: () => void end({ state: "cancelled" }),
    close: async () => await end({ state: "cancelled" }),
  };
}

type Ask = (asked: BacktestAsked, moved?: readonly ArrayBuffer[]) => void;

/** Gives the thread what was recorded, what was found, and the rules. The problem is why it cannot. */
async function feed(
  { past, policy, view, now }: BacktestWorld,
  { since, until, tried }: BacktestedTime,
  ask: Ask,
  isWanted: () => boolean,
): Promise<string | undefined> {
  const { rules, acting, limits } = policy();
  const windows = [...rules.values()].flatMap(({ forMs, windows: own }) => [
    forMs,
    ...own.map(({ lengthMs }) => lengthMs),
  ]);
  const from = since - Math.max(DAY, ...windows);
  const span = await past.recordSpan();
  if (span === undefined) return "not kept: the record is empty";
  const units = await past.recordUnits();
  const refused = await handOver(past, { units, from, until }, (pages, moved) =>
    ask({ type: "pages", pages }, moved),
  );
  if (refused !== undefined) return refused;
  const begin = Math.max(from, span.firstAt);
  const types = ["alert", "remediation", "suppressed"] as const;
  let found: StoredFinding[] = [];
  // All of them: an alert that is missing would seem not to have fired.
  for await (const one of newestFirst(past, { from: begin, until, types }, isWanted)) {
    const { rule } = parseAlertKey(alertOf(one.finding) ?? "");
    if (!(tried?.rules.has(rule) ?? true)) continue;
    found.push({ at: one.at, finding: one.finding });
    if (found.length < FINDINGS_AT_ONCE) continue;
    ask({ type: "findings", findings: found });
    found = [];
  }
  const before = await journalView({ view, now, past }, begin);
  // An alert that fired at the start may have begun before everything that is given.
  if (before.ok)
    for (const alert of before.value.alerts.values())
      if (alert.state === "firing" && (tried?.rules.has(alert.rule) ?? true))
        found.push({ at: begin, finding: { type: "alert", change: "firing", alert, detail: "" } });
  ask({ type: "findings", findings: found });
  const inForce = [...rules.values()].map((rule) => ({
    name: `${rule.alert}.yaml`,
    text: ruleText(rule),
  }));
  const files = tried === undefined ? inForce : [{ name: TRIED_FILE, text: tried.text }];
  const otherAlerts = namedInForce(rules);
  ask({ type: "replay", rules: files, otherAlerts, acting, limits, since, until });
  return undefined;
}
