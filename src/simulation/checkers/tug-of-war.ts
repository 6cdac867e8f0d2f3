import { entityKey } from "../../domain/entity.ts";
import { formatDuration, formatInstant, type Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import { guardBook, type GuardBook, type Step, type Want } from "./acts.ts";
import { createDurableBook } from "./durable-book.ts";
import { acceptedCommand } from "./operators.ts";
import type { Readings } from "./readings.ts";

/** The repairing of one entity: what was seen to be done, and how often in a row it was undone soon. */
type Repair = {
  readonly undone: number;
  /** The repair that was seen to be done last, until its rule finds the entity bad again. */
  readonly verified?: { readonly at: Instant; readonly rule: string; readonly isWell: boolean };
  readonly quarantinedAt?: Instant;
};

class RepairBook {
  readonly repairs = createDurableBook<Repair>();
  private readonly readings: Readings;

  constructor(readings: Readings) {
    this.readings = readings;
  }

  /** The first sure reading after the repair that shows it bad again says whether that was soon. */
  noteReadings(step: Step): void {
    const { undoWindowMs, undoLimit } = step.policy.acting;
    for (const [key, repair] of this.repairs.entries()) {
      const { verified, undone } = repair;
      if (verified === undefined) continue;
      // What time alone makes bad is noticed by a tick, and not by the reading that comes first.
      if (step.policy.rules.get(verified.rule)?.when.readsTime === true) continue;
      const verdict = this.readings.verdicts.of(verified.rule, key);
      if (verdict === undefined || verdict.lostSince !== undefined) continue;
      if (verdict.truth === "ok") {
        if (!verified.isWell)
          this.repairs.set(key, { ...repair, verified: { ...verified, isWell: true } });
        continue;
      }
      if (!verified.isWell) continue;
      const isSoon = step.stampedAt - verified.at <= undoWindowMs;
      const count = isSoon ? undone + 1 : 0;
      const isTooMany = count >= undoLimit && repair.quarantinedAt === undefined;
      const { verified: _done, ...rest } = repair;
      this.repairs.set(key, {
        ...rest,
        undone: count,
        ...(isTooMany ? { quarantinedAt: step.stampedAt } : {}),
      });
    }
  }

  noteFindings(step: Step): void {
    for (const finding of step.result.findings) {
      if (finding.type === "quarantine" && finding.change === "began") {
        const before = this.repairs.get(finding.entity) ?? { undone: 0 };
        this.repairs.set(finding.entity, { ...before, quarantinedAt: step.stampedAt });
      }
      if (finding.type !== "remediation" || finding.remediation.state !== "verified") continue;
      const { entity, rule } = finding.remediation;
      const { undone = 0, quarantinedAt } = this.repairs.get(entityKey(entity)) ?? {};
      this.repairs.set(entityKey(entity), {
        undone,
        verified: { at: step.stampedAt, rule, isWell: false },
        ...(quarantinedAt === undefined ? {} : { quarantinedAt }),
      });
    }
    const said = acceptedCommand(step);
    if (said?.command.name !== "release_quarantine") return;
    const { verified } = this.repairs.get(said.command.entity) ?? {};
    this.repairs.set(said.command.entity, {
      undone: 0,
      ...(verified === undefined ? {} : { verified }),
    });
  }

  /** What the core has forgotten by its retention, the book forgets as well. */
  forgetOld({ state, event }: Step): void {
    if (event.type !== "tick") return;
    for (const [key, { quarantinedAt }] of this.repairs.entries()) {
      if (quarantinedAt === undefined && !state.tables.attempt.has(key)) this.repairs.delete(key);
    }
  }

  objection({ key, policy }: Want): string | undefined {
    const repair = this.repairs.get(key);
    if (repair?.quarantinedAt === undefined) return undefined;
    const within = formatDuration(policy.acting.undoWindowMs);
    return `repairs of it were undone ${repair.undone} times within ${within} each, and nobody has released it since ${formatInstant(repair.quarantinedAt)}`;
  }
}

/** What was repaired and undone too often is left alone until somebody releases it. */
export function checkTugOfWar(readings: Readings): GuardBook {
  const book = new RepairBook(readings);
  return guardBook("2 tug of war", (want) => book.objection(want), {
    note: (step) => book.noteReadings(step),
    end: (step) => {
      book.noteFindings(step);
      book.forgetOld(step);
      if (step.durable) book.repairs.settle();
      return [...book.repairs.entries()].flatMap(([key, { quarantinedAt }]) =>
        quarantinedAt === undefined || step.state.tables.quarantine.has(key)
          ? []
          : [`the quarantine of ${key}, since ${formatInstant(quarantinedAt)}, is gone`],
      );
    },
    restart: (state) => book.repairs.restore((key) => repairOf(state, key)),
  });
}

/** What the file knows of a repairing; which rule saw it done is not in it. */
function repairOf({ tables }: State, key: string): Repair | undefined {
  const attempt = tables.attempt.get(key);
  const quarantine = tables.quarantine.get(key);
  if (attempt === undefined && quarantine === undefined) return undefined;
  return {
    undone: attempt?.undone ?? 0,
    ...(quarantine === undefined ? {} : { quarantinedAt: quarantine.since }),
  };
}
