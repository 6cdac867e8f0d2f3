import { kindOfKey } from "../../domain/entity.ts";
import type { State } from "../state.ts";

/**
 * The revision of a kind on all aggregators. It only grows. While it is the same, facts that followed from entities of
 * the kind (a kind's `enrich`) still do.
 */
export function revisionOf({ revisions }: State, kind: string): number {
  return revisions.completeness + (revisions.byKind.get(kind) ?? 0);
}

/** Call it if an entity has appeared, changed or gone. */
export function countEntityChange({ revisions: { byKind } }: State, key: string): void {
  const kind = kindOfKey(key);
  byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
}
