import type { Change } from "../../../src/domain/step.ts";

/** Keeps committed rows as the real journal would, and what it could not write until it can. */
export class ScriptedJournal {
  /** It refuses every commit while this is set. */
  broken = false;
  readonly rows = new Map<string, Change>();
  private readonly waiting = new Map<string, Change>();

  /** Says whether the changes are durable now. */
  commit(changes: readonly Change[]): boolean {
    for (const change of structuredClone(changes)) {
      this.waiting.set(`${change.table} ${change.key}`, change);
    }
    if (this.broken) return false;
    for (const [key, change] of this.waiting) {
      if (change.value === undefined) this.rows.delete(key);
      else this.rows.set(key, change);
    }
    this.waiting.clear();
    return true;
  }

  /** What a process finds that starts again; what could not be written is lost. */
  reopen(): Change[] {
    this.waiting.clear();
    // In the order of table and key, as the real journal gives them.
    const rows = [...this.rows].toSorted(([one], [other]) => (one < other ? -1 : 1));
    // Each by itself: two rows have no object in common.
    return rows.map(([, change]) => structuredClone(change));
  }
}
