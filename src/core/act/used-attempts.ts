import { parseEntityKey } from "../../domain/entity.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import { touch, type Draft } from "../draft.ts";
import { unsureAbout } from "../observe/doubt.ts";
import type { Affected } from "../observe/entity-life.ts";

/**
 * The attempts of a rule on an entity no longer count for its next alert once the entity is surely seen in the state that
 * the action aims at. That an alert ends is not enough: an exchange that is missing for a moment, and then disabled again,
 * was not repaired. An alert that goes on, as `keep_firing_for` makes it, keeps its own count.
 */
export function* forgetUsedAttempts(draft: Draft, { changed, gone }: Affected): Slices {
  yield* eachInSlices(changed, (key) => forgetReached(draft, key));
  yield* eachInSlices(gone.keys(), (key) => forgetReached(draft, key));
}

function forgetReached(draft: Draft, key: string): void {
  const { policy, state } = draft;
  const attempt = state.tables.attempt.get(key);
  if (attempt?.used === undefined) return;
  const entity = state.tables.entity.get(key);
  if (entity?.unknownSince !== undefined) return;
  if (entity !== undefined && unsureAbout(state, entity) !== undefined) return;
  const { kind } = parseEntityKey(key);
  const ofKind = [...policy.actions.values()].filter((one) => one.kind === kind);
  const kept = Object.entries(attempt.used).filter(([name]) => {
    const act = policy.rules.get(name)?.act;
    const action = act && policy.actions.get(act.action);
    // A rule that is no longer in force, or is about another kind by now, has used them for an action on this kind.
    const actions = action?.kind === kind ? [action] : ofKind;
    return !actions.some((one) => one.aim(entity) === "reached");
  });
  if (kept.length === Object.keys(attempt.used).length) return;
  if (kept.length === 0) delete attempt.used;
  else attempt.used = Object.fromEntries(kept);
  touch(draft, "attempt", key);
}
