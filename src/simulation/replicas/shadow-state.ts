import { copyOf } from "../../run/commit/copy.ts";
import { indexEntity, keysOf, unindexEntity } from "../../core/entity-index.ts";
import { restoreUnread } from "../../core/observe/unread.ts";
import { restore } from "../../core/start.ts";
import type { State } from "../../core/state.ts";
import type { Entity } from "../../domain/entity.ts";
import {
  STATE_TABLES,
  type Change,
  type Event,
  type Policy,
  type StepResult,
} from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";

/** A step as it was when it was decided: the state goes on changing before the step is committed. */
export type FrozenStep = {
  readonly event: Event;
  readonly result: StepResult;
  readonly stampedAt: Instant;
  readonly policy: Policy;
  readonly rest: Pick<State, "at" | "surfaces" | "confirming" | "muted" | "startedAt" | "lease">;
};

export function freeze(
  { event, result, at: stampedAt }: { event: Event; result: StepResult; at: Instant },
  state: State,
  policy: Policy,
): FrozenStep {
  const changes = result.changes.map(frozenChange);
  const rest = {
    at: state.at,
    startedAt: state.startedAt,
    lease: state.lease,
    surfaces: new Map([...state.surfaces].map(([key, own]) => [key, { ...own }])),
    confirming: new Map(state.confirming),
    muted: new Map(state.muted),
  };
  return { event, result: { ...result, changes }, stampedAt, policy, rest };
}

function frozenChange({ table, key, value }: Change): Change {
  return { table, key, value: copyOf(value) };
}

/** The state after the step that was shown last; `apply` changes it to that after the next one. */
export function createShadow(rows: Iterable<Change>): {
  readonly state: State;
  readonly apply: (step: FrozenStep) => void;
} {
  const state = restore([...rows].map(frozenChange));
  return {
    state,
    apply: ({ result, rest }) => {
      for (const change of result.changes) applyChange(state, change);
      Object.assign(state, rest);
    },
  };
}

/** All rows of a state, as the journal has them. */
export function rowsOf({ tables }: State): Change[] {
  return STATE_TABLES.flatMap((table) =>
    [...tables[table]].map(([key, value]): Change => ({ table, key, value })),
  );
}

function applyChange(state: State, { table, key, value }: Change): void {
  const rows = state.tables[table] as Map<string, unknown>;
  const before = table === "entity" ? state.tables.entity.get(key) : undefined;
  if (before !== undefined) unindexEntity(state, key, before);
  // A new row comes after the others: the oldest remediation is read first.
  if (value === undefined) rows.delete(key);
  else rows.set(key, value);
  if (table === "entity" && value !== undefined) indexEntity(state, key, value as Entity);
  // One row marks all entities of a surface as unknown.
  if (table !== "unread" || value === undefined) return;
  for (const one of keysOf({ state }, key)) {
    const entity = state.tables.entity.get(one);
    if (entity !== undefined) restoreUnread(state, entity);
  }
}
