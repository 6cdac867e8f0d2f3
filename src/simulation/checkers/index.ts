import type { Checker } from "../witness.ts";
import { checkAllowList } from "./allow-list.ts";
import { checkAttempts } from "./attempts.ts";
import { checkBudgets } from "./budgets.ts";
import { checkCommitted } from "./committed.ts";
import { checkEscalation } from "./escalation.ts";
import { checkFires } from "./fires.ts";
import { checkFirstSeen } from "./first-seen.ts";
import { checkFreshData } from "./fresh-data.ts";
import { checkIdle } from "./idle.ts";
import { checkNewest } from "./newest.ts";
import { checkNoBugs } from "./no-bugs.ts";
import { checkOpenRemediations } from "./open-remediations.ts";
import { checkPermission } from "./permission.ts";
import { checkProgress } from "./progress.ts";
import { Readings } from "./readings.ts";
import { checkRejected } from "./rejected.ts";
import { checkReloads } from "./reloads.ts";
import { checkSentOnce } from "./sent-once.ts";
import { checkStaleness } from "./staleness.ts";
import { checkStamps } from "./stamps.ts";
import { checkStandingOrders } from "./standing-orders.ts";
import { checkStorms } from "./storms.ts";
import { checkTold } from "./told.ts";
import { checkTruth } from "./truth.ts";
import { checkTugOfWar } from "./tug-of-war.ts";
import { checkUnknown } from "./unknown.ts";
import { checkVerified } from "./verified.ts";
import { checkWatched } from "./watched.ts";

/** Every checker, new: each keeps the books of one run. They share what was read, and nothing else. */
export function createCheckers(): readonly Checker[] {
  const readings = new Readings();
  const note: Checker = {
    invariant: "0 what was read",
    witness: (seen) => {
      readings.note(seen);
      return [];
    },
  };
  const guards = [
    checkBudgets(),
    checkStandingOrders(readings),
    checkStorms(readings),
    checkTugOfWar(readings),
    checkAttempts(),
    checkPermission(readings),
  ];
  return [
    note,
    checkFreshData(readings),
    checkNewest(),
    ...guards,
    checkOpenRemediations(),
    checkVerified(),
    checkRejected(),
    checkSentOnce(),
    checkCommitted(),
    checkUnknown(readings),
    checkFires(readings),
    checkStaleness(readings),
    checkAllowList(),
    checkFirstSeen(),
    checkReloads(readings),
    checkWatched(),
    checkStamps(),
    checkNoBugs(),
    checkIdle(readings, guards),
    checkEscalation(),
    checkProgress(),
    checkTruth(),
    checkTold(),
  ];
}
