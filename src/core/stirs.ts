import type { State } from "./state.ts";

/**
 * How often anything has changed that facts of other entities may follow from (a kind's `enrich`).
 * Like what was taken in, it is no part of the state: it only spares looking again.
 */
const stirs = new WeakMap<State, number>();

export function stirsOf(state: State): number {
  return stirs.get(state) ?? 0;
}

/** Whether a listing is complete has changed. */
export function noteStir(state: State): void {
  stirs.set(state, stirsOf(state) + 1);
}

/** An entity has changed. Pollers change at every poll, and nothing follows from them. */
export function noteEntityStir(state: State, key: string): void {
  if (state.tables.entity.get(key)?.kind !== "poller") noteStir(state);
}
