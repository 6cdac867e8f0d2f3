import { keptEntityKey, type Entity, type EntityId, type Facts } from "../domain/entity.ts";
import type { Change, Effect, Finding, Policy, StateTable, StepResult } from "../domain/step.ts";
import { eachInSlices, type Slices } from "../domain/slices.ts";
import type { EndedProposal } from "../domain/remediation.ts";
import type { Instant } from "../domain/time.ts";
import { indexEntity, unindexEntity } from "./entity-index.ts";
import type { Rows, State } from "./state.ts";
import { countEntityChange } from "./observe/revisions.ts";

/**
 * One step in the making: what it decides by, what it changes, and what it has found so far.
 * Rows are noted by key and read out once at the end, so a row changed twice is written once.
 */
export type Draft = {
  readonly policy: Policy;
  readonly state: State;
  readonly at: Instant;
  readonly touched: Map<string, readonly [StateTable, string]>;
  readonly effects: Effect[];
  /** Surfaces that this step asks to read again: one reading serves all that wait for it. */
  readonly probed: Set<string>;
  readonly findings: Finding[];
  readonly endedProposals: EndedProposal[];
  /** Keys of the alerts that this step has judged. */
  readonly judged: Set<string>;
  /**
   * Entities that an acting rule newly finds bad, and those with an alert that moved and does not fire, or whose rule does
   * not act any more.
   */
  readonly badAgain: EntityId[];
  readonly quiet: EntityId[];
  /** Kinds from which facts of other entities followed in this step, with their revisions when first read. */
  readonly enrichedFrom: Map<string, number>;
  /** What was surely known of all entities of a kind, by `groupKey`, and the kind's revision then. */
  readonly foundOfKind: Map<string, FoundOfKind>;
};

type FoundOfKind = { readonly revision: number; readonly facts: readonly Facts[] | undefined };

export function newDraft(policy: Policy, state: State, at: Instant): Draft {
  return {
    policy,
    state,
    at,
    touched: new Map(),
    effects: [],
    probed: new Set(),
    findings: [],
    endedProposals: [],
    judged: new Set(),
    badAgain: [],
    quiet: [],
    enrichedFrom: new Map(),
    foundOfKind: new Map(),
  };
}

/** Writes a durable row. */
export function put<Table extends StateTable>(
  draft: Draft,
  table: Table,
  key: string,
  row: Rows[Table],
): void {
  (draft.state.tables[table] as Map<string, Rows[Table]>).set(key, row);
  touch(draft, table, key);
}

/** Deletes a durable row; false if there is none. */
export function remove(draft: Draft, table: StateTable, key: string): boolean {
  if (!draft.state.tables[table].delete(key)) return false;
  touch(draft, table, key);
  return true;
}

/** Writes an entity that was not known. Gives its key. */
export function addEntity(draft: Draft, entity: Entity): string {
  const key = keptEntityKey(entity);
  indexEntity(draft.state, key, entity);
  put(draft, "entity", key, entity);
  return key;
}

export function removeEntity(draft: Draft, key: string, entity: Entity): void {
  leaveSurface(draft, key, entity);
  remove(draft, "entity", key);
}

/** Removes the entity from the indexes. The row `unread` of its surface ends with its last entity. */
export function leaveSurface(draft: Draft, key: string, entity: Entity): void {
  unindexEntity(draft.state, key, entity);
  if (!draft.state.entitiesBySurface.has(entity.surface)) remove(draft, "unread", entity.surface);
}

/** Notes that a durable row was changed in place. */
export function touch(draft: Draft, table: StateTable, key: string): void {
  if (table === "entity") countEntityChange(draft.state, key);
  draft.touched.set(`${table} ${key}`, [table, key]);
}

export function* finish(draft: Draft): Slices<StepResult> {
  const changes: Change[] = [];
  yield* eachInSlices(draft.touched.values(), ([table, key]) => {
    changes.push({ table, key, value: draft.state.tables[table].get(key) });
  });
  return { changes, effects: draft.effects, findings: draft.findings };
}

/** A number that no other row of this journal has had. */
export function nextNumber(draft: Draft, name: string): number {
  const next = (draft.state.tables.counter.get(name) ?? 0) + 1;
  put(draft, "counter", name, next);
  return next;
}
