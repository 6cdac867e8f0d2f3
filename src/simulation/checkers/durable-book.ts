/**
 * A book whose entries are sure only once a commit has succeeded, as the rows of a journal are. After a
 * crash what was sure stays, and of the rest the file alone knows.
 */
export type DurableBook<Value> = {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly delete: (key: string) => void;
  readonly entries: () => IterableIterator<[string, Value]>;
  /** A commit has succeeded: it holds all that waited. */
  readonly settle: () => void;
  /** A new process: what was not sure is as `read` finds it. Gives those keys. */
  readonly restore: (read: (key: string) => Value | undefined) => void;
};

export function createDurableBook<Value>(): DurableBook<Value> {
  const entries = new Map<string, Value>();
  const unsure = new Set<string>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.set(key, value);
      unsure.add(key);
    },
    delete: (key) => {
      entries.delete(key);
      unsure.add(key);
    },
    entries: () => entries.entries(),
    settle: () => unsure.clear(),
    restore: (read) => {
      for (const key of unsure) {
        const value = read(key);
        if (value === undefined) entries.delete(key);
        else entries.set(key, value);
      }
      unsure.clear();
    },
  };
}
