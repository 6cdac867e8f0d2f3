import { entityKey } from "../../domain/entity.ts";
import type { Remediation } from "../../domain/remediation.ts";
import { formatInstant } from "../../domain/time.ts";
import { cooldownAfter } from "../act/guards/cooldown.ts";
import type { Draft } from "../draft.ts";

/**
 * Whether another attempt may follow one that failed, and when at the earliest, to be read after its outcome; empty if
 * it did not fail, or its alert is over.
 */
export function whatFollows({ policy, state: { tables } }: Draft, failed: Remediation): string {
  const { rule, alert: key, alertStartedAt, entity, state, unsent } = failed;
  const isFailure = (state === "rejected" || state === "unverified") && unsent !== true;
  const act = policy.rules.get(rule)?.act;
  const alert = tables.alert.get(key);
  const attempt = tables.attempt.get(entityKey(entity));
  if (!isFailure || act === undefined || attempt === undefined) return "";
  if (alert?.state !== "firing" || alert.startedAt !== alertStartedAt) return "";
  const nth = `; attempt ${alert.attempts} of ${act.attempts}`;
  if (alert.attempts >= act.attempts) return `${nth}: no other follows by itself`;
  if (tables.quarantine.has(entityKey(entity)))
    return `${nth}: no other follows before it is released, as it is quarantined now`;
  const next = attempt.lastAt + cooldownAfter(act.cooldownMs, attempt.failures);
  return `${nth}: another may follow from ${formatInstant(next)} on`;
}
