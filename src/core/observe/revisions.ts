import type { State } from "../state.ts";

/**
 * How often anything has changed that facts of other entities may follow from (a kind's `enrich`): by
 * kind, and how often a listing became complete or cut, from which all kinds may follow. Like what was
 * taken in, it is no part of the state: it only spares looking again.
 */
type Stirs = { readonly byKind: Map<string, number>; complete: number };

const stirs = new WeakMap<State, Stirs>();

function of(state: State): Stirs {
  const known = stirs.get(state);
  if (known !== undefined) return known;
  const made = { byKind: new Map<string, number>(), complete: 0 };
  stirs.set(state, made);
  return made;
}

/** It only grows: what followed from entities of the kind still does while it is the same. */
export function stirsOf(state: State, kind: string): number {
  const { byKind, complete } = of(state);
  return complete + (byKind.get(kind) ?? 0);
}

/** How often a listing became complete or cut. */
export function completeStirs(state: State): number {
  return of(state).complete;
}

/** Whether a listing is complete has changed. */
export function noteCompleteStir(state: State): void {
  of(state).complete += 1;
}

/** An entity has appeared, changed or gone. */
export function noteEntityStir(state: State, key: string): void {
  const { byKind } = of(state);
  const from = key.indexOf("/") + 1;
  const kind = key.slice(from, key.indexOf("/", from));
  byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
}
