import type { State } from "../../core/state.ts";
import type { Instant } from "../../domain/time.ts";

/** Where the rows of a state have the entries of a map. */
type InRows<Value> = {
  /** The keys of all entries. */
  readonly keys: (tables: State["tables"]) => Iterable<string>;
  /**
   * The entry of a key, which was `before` until now. If commits were lost, `since` is the instant of the last one that
   * is left.
   */
  readonly read: (
    tables: State["tables"],
    key: string,
    before: Value | undefined,
    since?: Instant,
  ) => Value | undefined;
};

/**
 * A map whose entries are sure only once a commit has succeeded, as the rows of the journal are. After a
 * crash, sure entries stay; the others become what the journal has.
 */
export class DurableMap<Value> {
  private readonly entries = new Map<string, Value>();
  private readonly unsure = new Set<string>();
  private readonly inRows: InRows<Value>;
  /** Counts the changes. */
  changes = 0;

  constructor(inRows: InRows<Value>) {
    this.inRows = inRows;
  }

  get(key: string): Value | undefined {
    return this.entries.get(key);
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  set(key: string, value: Value): void {
    this.entries.set(key, value);
    this.unsure.add(key);
    this.changes += 1;
  }

  delete(key: string): void {
    if (!this.entries.delete(key)) return;
    this.unsure.add(key);
    this.changes += 1;
  }

  values(): Iterable<Value> {
    return this.entries.values();
  }

  [Symbol.iterator](): Iterator<[string, Value]> {
    return this.entries[Symbol.iterator]();
  }

  /** A commit has succeeded, and holds every change until now. */
  settle(): void {
    this.unsure.clear();
  }

  /** Commits were lost, so sure entries as well become what the rows that are left have. */
  lose(state: State): void {
    for (const key of [...this.entries.keys(), ...this.inRows.keys(state.tables)])
      this.unsure.add(key);
    this.restore(state, stampOf(state));
  }

  /** A new process: entries that were not sure become what the journal has. */
  restore({ tables }: State, since?: Instant): void {
    for (const key of this.unsure) {
      const value = this.inRows.read(tables, key, this.entries.get(key), since);
      if (value === undefined) this.entries.delete(key);
      else this.entries.set(key, value);
    }
    this.unsure.clear();
    this.changes += 1;
  }
}

/** The newest stamp that a state knows. */
export function stampOf({ tables }: State): Instant {
  return tables.counter.get("at") ?? Number.NEGATIVE_INFINITY;
}
