import { entityKey } from "../../domain/entity.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker, Witnessed } from "../witness.ts";

/** What is said to be rejected was not carried out: a refusal is sure, and all else is in doubt. */
export function checkRejected(): Checker {
  const appliedAt = new Map<string, Instant>();
  return {
    invariant: "3 rejected",
    witness: (seen) => {
      if (seen.type === "applied" && seen.changed) appliedAt.set(targetOf(seen), seen.at);
      if (seen.type !== "step") return [];
      const found: string[] = [];
      for (const finding of seen.result.findings) {
        if (finding.type !== "remediation") continue;
        const { id, action, entity, state } = finding.remediation;
        const target = `${entityKey(entity)} ${action}`;
        const at = appliedAt.get(target);
        if (state === "requested") appliedAt.delete(target);
        if (state !== "rejected" || at === undefined) continue;
        found.push(
          `${id} (${action} of ${entityKey(entity)}) became rejected at ${formatInstant(seen.at)}, and was carried out at ${formatInstant(at)}`,
        );
      }
      return found;
    },
  };
}

function targetOf({ aggregator, what, target }: Extract<Witnessed, { type: "applied" }>): string {
  const kind = {
    enable_exchange: "exchange",
    enable_pair: "pair",
    force_cancel_order: "liquidation",
  };
  return `${entityKey({ aggregator, kind: kind[what], id: target })} ${what}`;
}
