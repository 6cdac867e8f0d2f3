import { Ledger } from "../ledger/ledger.ts";
import type { RunEvent } from "../run-event.ts";
import { bounds } from "./bounds.ts";
import { concernedWith, on, type Checker } from "./checker.ts";
import { deliveries } from "./deliveries.ts";
import { escalation } from "./escalation.ts";
import { wholeEvidence } from "./evidence.ts";
import { fires } from "./fires.ts";
import { freshData, newestReading } from "./fresh-data.ts";
import { checkGuard, guards } from "./guards.ts";
import { idle } from "./idle.ts";
import { committed, firstSeen, noBugs, stamps, synced } from "./journal.ts";
import { progress } from "./progress.ts";
import { reloads, watchLists } from "./reloads.ts";
import { openRemediations, verified } from "./remediations.ts";
import { allowList, readAgain, rejected, sentOnce } from "./requests.ts";
import { secrets } from "./secrets.ts";
import { staleness } from "./staleness.ts";
import { truth } from "./truth.ts";
import { unknown } from "./unknown.ts";

/** Requests are sent, and commits written, only under a lease that lasts long enough. */
const oneOwner = on("unowned", "13 one owner", ({ what }) => [what]);

/** The requests of all replicas together stay within an aggregator's rate, however units move. */
const sharedRate = on("beyond_rate", "14 shared rate", ({ what }) => [what]);

const checkers: readonly Checker[] = [
  freshData,
  newestReading,
  wholeEvidence,
  bounds,
  ...guards.map(checkGuard),
  openRemediations,
  verified,
  rejected,
  sentOnce,
  readAgain,
  committed,
  synced,
  unknown,
  fires,
  staleness,
  allowList,
  secrets,
  firstSeen,
  reloads,
  watchLists,
  stamps,
  noBugs,
  oneOwner,
  sharedRate,
  idle,
  escalation,
  progress,
  truth,
  deliveries,
];

const checkersOf = concernedWith(checkers);

/** A violated invariant, and how the event violates it, in a sentence. */
type Violated = { readonly invariant: string; readonly text: string };

/** Checks the events of one run, in their order, against a ledger of its own. */
export function createInspector(): (event: RunEvent) => readonly Violated[] {
  const ledger = new Ledger();
  return (event) => {
    ledger.record(event);
    const violated: Violated[] = [];
    for (const { invariant, check } of checkersOf(event))
      for (const text of check(event, ledger)) violated.push({ invariant, text });
    ledger.settle(event);
    return violated;
  };
}
