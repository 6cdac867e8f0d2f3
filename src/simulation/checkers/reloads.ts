import { entityKey } from "../../domain/entity.ts";
import type { Alert } from "../../domain/alert.ts";
import type { Policy } from "../../domain/step.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import type { Step } from "./acts.ts";
import type { Readings } from "./readings.ts";

/** What a reload or a restart must leave alone of an alert whose rule it did not change. */
type Life = Pick<Alert, "state" | "startedAt" | "activeAt" | "firedAt" | "attempts">;

/**
 * Neither a reload nor a restart drops an alert of a rule that they leave as it was, nor begins it anew;
 * of a rule that is no more, none goes on.
 */
export function checkReloads(readings: Readings): Checker {
  const alerts = new Map<string, Alert["entity"] & Life & { readonly rule: string }>();
  let hashes = new Map<string, string>();

  function problems(step: Step, isSame: (rule: string) => boolean): string[] {
    const found: string[] = [];
    for (const [key, before] of alerts) {
      if (before.state === "resolved") continue;
      const rule = step.policy.rules.get(before.rule);
      const now = step.state.tables.alert.get(key);
      const at = `by a ${step.event.type} event at ${formatInstant(step.stampedAt)}`;
      if (rule === undefined || rule.kind !== before.kind) {
        if (now !== undefined && now.state !== "resolved") {
          found.push(`${key} is ${now.state} still ${at}, and its rule is no more`);
        }
        continue;
      }
      if (!isSame(before.rule) || !isWatchedStill(before, step, readings)) continue;
      if (now === undefined) found.push(`${key}, which was ${before.state}, is dropped ${at}`);
      else found.push(...changes(before, now).map((change) => `${key} ${change} ${at}`));
    }
    return found;
  }

  function note(step: Step): void {
    for (const { table, key } of step.result.changes) {
      if (table !== "alert") continue;
      const now = step.state.tables.alert.get(key);
      if (now === undefined) alerts.delete(key);
      else alerts.set(key, copyOf(now));
    }
    if (hashes.size !== step.policy.rules.size || step.event.type === "policy_changed") {
      hashes = hashesOf(step.policy);
    }
  }

  return {
    invariant: "7 reloads",
    witness: (seen) => {
      if (seen.type === "restarted") {
        alerts.clear();
        for (const [key, alert] of seen.state.tables.alert) alerts.set(key, copyOf(alert));
        return [];
      }
      if (seen.type !== "step") return [];
      const { event, policy } = seen;
      const isSame = (name: string): boolean => {
        const before = event.type === "policy_changed" ? event.rulesBefore : hashes;
        return before.get(name) === policy.rules.get(name)?.hash;
      };
      const isTurn = event.type === "started" || event.type === "policy_changed";
      const found = isTurn ? problems(seen, isSame) : [];
      if (event.type === "started") hashes = hashesOf(policy);
      note(seen);
      return found;
    },
  };
}

function copyOf(alert: Alert): Alert["entity"] & Life & { readonly rule: string } {
  const { rule, entity, state, startedAt, activeAt, firedAt, attempts } = alert;
  const fired = firedAt === undefined ? {} : { firedAt };
  return { ...entity, rule, state, startedAt, activeAt, ...fired, attempts };
}

function hashesOf({ rules }: Policy): Map<string, string> {
  return new Map([...rules].map(([name, { hash }]): [string, string] => [name, hash]));
}

function changes(before: Life, now: Life): string[] {
  const names = ["state", "startedAt", "activeAt", "firedAt", "attempts"] as const;
  return names.flatMap((name) =>
    before[name] === now[name]
      ? []
      : [`had the ${name} ${before[name] ?? "none"}, and has ${now[name] ?? "none"}`],
  );
}

/** An entity that is watched no more ends, and its alerts with it. */
function isWatchedStill(
  entity: Alert["entity"],
  { policy, state }: Step,
  readings: Readings,
): boolean {
  const surface =
    readings.entity(entityKey(entity))?.surface ??
    state.tables.entity.get(entityKey(entity))?.surface;
  const [aggregator, poller] = (surface ?? "").split("/");
  const own = policy.aggregators.find(({ name }) => name === aggregator);
  return own?.pollers.some(({ name }) => name === poller) === true;
}
