import { entityKey } from "../../domain/entity.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import type { Step } from "../run-event.ts";
import { DurableMap } from "./durable-map.ts";
import type { ObservedEntities } from "./observed-entities.ts";
import { acceptedCommand } from "./overrides.ts";

/** The repairs of one entity: the last verified one, and how many in a row were soon undone. */
type Repair = {
  readonly undone: number;
  /** The last verified repair, until its rule finds the entity bad again. */
  readonly verified?: { readonly at: Instant; readonly rule: string; readonly isWell: boolean };
  readonly quarantinedAt?: Instant;
};

const NONE: Repair = { undone: 0 };

/** Repairs that were undone, and the quarantines that follow from them. */
export class Repairs {
  readonly entries = new DurableMap<Repair>({
    keys: ({ attempt, quarantine }) => [...attempt.keys(), ...quarantine.keys()],
    read: repairOf,
  });

  record(step: Step, observed: ObservedEntities): void {
    for (const [key, repair] of this.entries) {
      const next = afterReading(key, repair, step, observed);
      if (next !== repair) this.entries.set(key, next);
    }
    this.recordFindings(step);
    this.forgetOld(step);
  }

  private recordFindings(step: Step): void {
    const { stampedAt: at } = step;
    const change = (key: string, repair: Partial<Repair>): void =>
      this.entries.set(key, { ...(this.entries.get(key) ?? NONE), ...repair });
    for (const finding of step.result.findings) {
      if (finding.type === "quarantine" && finding.change === "began")
        change(finding.entity, { quarantinedAt: at });
      if (finding.type !== "remediation" || finding.remediation.state !== "verified") continue;
      const { entity, rule } = finding.remediation;
      const key = entityKey(entity);
      // What was not sent was not what repaired it.
      if (finding.corrected === true) {
        const { verified: _, ...repair } = this.entries.get(key) ?? NONE;
        this.entries.set(key, repair);
      } else change(key, { verified: { at, rule, isWell: false } });
    }
    const { command } = acceptedCommand(step) ?? {};
    if (command?.name !== "release_quarantine") return;
    const { quarantinedAt: _, ...repair } = this.entries.get(command.entity) ?? NONE;
    this.entries.set(command.entity, { ...repair, undone: 0 });
  }

  /** Forgets what the core has forgotten by its retention. */
  private forgetOld({ state, event }: Step): void {
    if (event.type !== "tick") return;
    for (const [key, { quarantinedAt }] of this.entries) {
      if (quarantinedAt === undefined && !state.tables.attempt.has(key)) this.entries.delete(key);
    }
  }
}

/** The repair that the rows give; no row says which rule's repair was verified. */
function repairOf(tables: State["tables"], key: string): Repair | undefined {
  const attempt = tables.attempt.get(key);
  const quarantine = tables.quarantine.get(key);
  if (attempt === undefined && quarantine === undefined) return undefined;
  const undone = attempt?.undone ?? 0;
  return quarantine === undefined ? { undone } : { undone, quarantinedAt: quarantine.since };
}

/** The repair after a step: the first sure reading that shows the entity bad again says whether that was soon. */
function afterReading(key: string, repair: Repair, step: Step, observed: ObservedEntities): Repair {
  const { verified, undone } = repair;
  const { undoWindowMs, undoLimit } = step.policy.acting;
  if (verified === undefined)
    return hasLasted(key, repair, step) ? { ...repair, undone: 0 } : repair;
  // If time alone makes an entity bad, a tick notices it, and not the first reading.
  if (step.policy.rules.get(verified.rule)?.when.readsTime === true) return repair;
  const verdict = observed.verdicts.of(verified.rule, key);
  if (verdict === undefined || verdict.lostSince !== undefined) return repair;
  if (verdict.truth === "ok")
    return verified.isWell ? repair : { ...repair, verified: { ...verified, isWell: true } };
  if (!verified.isWell) return repair;
  const isSoon = step.stampedAt - verified.at <= undoWindowMs;
  const count = isSoon ? undone + 1 : 0;
  const { verified: _, quarantinedAt, ...rest } = repair;
  const since = quarantinedAt ?? (count >= undoLimit ? step.stampedAt : undefined);
  return { ...rest, undone: count, ...(since === undefined ? {} : { quarantinedAt: since }) };
}

/**
 * Whether the core has found that the last repair lasted although it was done too late to be verified: if others undo the
 * next one, that is the first again.
 */
function hasLasted(key: string, { undone }: Repair, { state, policy, stampedAt }: Step): boolean {
  const attempt = state.tables.attempt.get(key);
  if (undone === 0 || attempt === undefined || (attempt.undone ?? 0) > 0) return false;
  return stampedAt - attempt.lastAt > policy.acting.undoWindowMs;
}
