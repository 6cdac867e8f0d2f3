import { entityKey } from "../../domain/entity.ts";
import { isSettled } from "../../domain/remediation.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import { guardBook, type GuardBook, type Step, type Want } from "./acts.ts";
import { createDurableBook } from "./durable-book.ts";

type Tried = { readonly lastAt: Instant; readonly failures: number };

/**
 * No more attempts for one run of an alert than its rule allows, and a pause between two on an entity
 * that doubles with each failure in a row, up to 64 times.
 */
export function checkAttempts(): GuardBook {
  const tried = createDurableBook<Tried>();
  /** The run of an alert that each remediation is of. */
  const ofRun = createDurableBook<string>();

  function noteSettled(step: Step): void {
    for (const finding of step.result.findings) {
      if (finding.type !== "remediation" || !isSettled(finding.remediation)) continue;
      const { id, state, entity, requestedAt, alert, alertStartedAt } = finding.remediation;
      if (ofRun.get(id) === undefined) ofRun.set(id, runOf({ alert, alertStartedAt }));
      const before = tried.get(entityKey(entity));
      const failures = state === "verified" ? 0 : (before?.failures ?? 0) + 1;
      const lastAt = Math.max(requestedAt, before?.lastAt ?? requestedAt);
      tried.set(entityKey(entity), { lastAt, failures });
    }
  }

  const objection: GuardBook["objection"] = (want) => {
    const { key, act, at } = want;
    const run = runOf(want);
    const count = [...ofRun.entries()].filter(([, one]) => one === run).length;
    if (count >= act.attempts) return `${count} of ${act.attempts} attempts were used for this run`;
    const before = tried.get(key);
    if (before === undefined) return undefined;
    const cooldownMs = act.cooldownMs * 2 ** Math.min(before.failures, 6);
    const passedMs = at - before.lastAt;
    if (passedMs >= cooldownMs) return undefined;
    return `only ${formatDuration(passedMs)} had passed since the attempt before, and after ${before.failures} failures in a row the cooldown is ${formatDuration(cooldownMs)}`;
  };

  return guardBook("2 attempts", objection, {
    note: noteSettled,
    done: (act) => {
      ofRun.set(act.made.id, runOf(act));
      tried.set(act.key, { lastAt: act.at, failures: tried.get(act.key)?.failures ?? 0 });
    },
    end: ({ durable }) => {
      if (!durable) return;
      tried.settle();
      ofRun.settle();
    },
    restart: ({ tables }) => {
      ofRun.restore((id) => {
        const made = tables.remediation.get(id);
        return made && runOf(made);
      });
      tried.restore((key) => {
        const row = tables.attempt.get(key);
        return row === undefined ? undefined : { lastAt: row.lastAt, failures: row.failures };
      });
    },
  });
}

function runOf({ alert, alertStartedAt }: Pick<Want, "alert" | "alertStartedAt">): string {
  return `${alert} ${alertStartedAt}`;
}
