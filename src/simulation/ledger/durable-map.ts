/**
 * A map whose entries are sure only once a commit has succeeded, as the rows of the journal are. After a
 * crash, sure entries stay; the others become what the journal has.
 */
export class DurableMap<Value> {
  private readonly entries = new Map<string, Value>();
  private readonly unsure = new Set<string>();

  get(key: string): Value | undefined {
    return this.entries.get(key);
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  set(key: string, value: Value): void {
    this.entries.set(key, value);
    this.unsure.add(key);
  }

  delete(key: string): void {
    if (this.entries.delete(key)) this.unsure.add(key);
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

  /** Sure entries may be lost: each of them, and each of `keys`, becomes what `read` finds. */
  lose(keys: Iterable<string>, read: (key: string) => Value | undefined): void {
    for (const key of [...this.entries.keys(), ...keys]) this.unsure.add(key);
    this.restore(read);
  }

  /** A new process: entries that were not sure become what `read` finds in the journal. */
  restore(read: (key: string, before: Value | undefined) => Value | undefined): void {
    for (const key of this.unsure) {
      const value = read(key, this.entries.get(key));
      if (value === undefined) this.entries.delete(key);
      else this.entries.set(key, value);
    }
    this.unsure.clear();
  }
}
