import { entityKey } from "../../domain/entity.ts";
import type { Alert } from "../../domain/alert.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { pollerOfSurface } from "../ledger/watched-pollers.ts";
import type { Step } from "../run-event.ts";
import { on } from "./checker.ts";

/** The fields of an alert that a reload or a restart must keep if the rule is unchanged. */
const KEPT = ["state", "startedAt", "activeAt", "firedAt", "attempts"] as const;

/**
 * If a reload or a restart leaves a rule unchanged, it neither drops the rule's alerts nor begins them again.
 * If the rule is gone, none of its alerts continues.
 */
export const reloads = on("step", "7 reloads", (step, ledger) => {
  const { event, policy } = step;
  if (event.type !== "started" && event.type !== "policy_changed") return [];
  const hashes = event.type === "policy_changed" ? event.rulesBefore : ledger.rows.hashes;
  const isSame = (name: string): boolean => hashes.get(name) === policy.rules.get(name)?.hash;
  const at = `by a ${event.type} event at ${formatInstant(step.stampedAt)}`;
  return [...ledger.rows.alerts.values()]
    .filter(({ state }) => state !== "resolved")
    .flatMap((before) => problemsOf(before, step, isSame, ledger).map((what) => `${what} ${at}`));
});

function problemsOf(
  before: Alert,
  step: Step,
  isSame: (rule: string) => boolean,
  ledger: Ledger,
): string[] {
  const { key } = before;
  const rule = step.policy.rules.get(before.rule);
  const now = step.state.tables.alert.get(key);
  if (rule === undefined || rule.kind !== before.entity.kind)
    return now === undefined || now.state === "resolved"
      ? []
      : [`${key} is ${now.state}, though its rule is no more,`];
  if (!isSame(before.rule) || !isWatchedStill(before.entity, step, ledger)) return [];
  if (now === undefined) return [`${key}, which was ${before.state}, is dropped`];
  return KEPT.flatMap((name) =>
    before[name] === now[name]
      ? []
      : [`${key} had the ${name} ${before[name] ?? "none"}, and has ${now[name] ?? "none"}`],
  );
}

/** An entity that is no longer watched ends, and its alerts with it. */
function isWatchedStill(entity: Alert["entity"], step: Step, { observed }: Ledger): boolean {
  const key = entityKey(entity);
  const surface = observed.entity(key)?.surface ?? step.state.tables.entity.get(key)?.surface;
  return pollerOfSurface(step.policy, surface ?? "").poller !== undefined;
}

/** The events that may end the watching of an entity. */
const ENDING: ReadonlySet<string> = new Set(["started", "policy_changed", "watch_changed"]);

/** The surface of a poller's own entity, which no poll reads. */
const SELF = "(self)";

/** An entry that leaves the watch lists ends in the same step: no entity of its surface is known any more. */
export const watchLists = on("step", "7 watch lists", ({ event, policy, state, stampedAt }) => {
  if (!ENDING.has(event.type)) return [];
  return [...state.entitiesBySurface].flatMap(([surface, keys]) => {
    const { poller, name } = pollerOfSurface(policy, surface);
    if (poller?.surfaces === undefined || poller.surfaces.has(name) || name === SELF) return [];
    return [...keys].map(
      (key) =>
        `${key} is known after a ${event.type} event at ${formatInstant(stampedAt)}, and ${surface} is not watched`,
    );
  });
});
