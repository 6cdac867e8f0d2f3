/** The commits of a unit that a process knows of, because it has read them or had them acknowledged. */
export type KnownCommits = ReturnType<typeof createKnownCommits>;

export function createKnownCommits() {
  let known = 0;
  /** The process's own commits since then, by attempt. */
  const own = new Map<number, number>();
  return {
    read: (head: number): void => {
      known = head;
      own.clear();
    },
    /** The attempt is written, and not acknowledged yet. */
    wrote: (attempt: number, head: number): void => void own.set(attempt, head),
    /** This attempt is acknowledged as committed. */
    told: (attempt: number): void => {
      known = own.get(attempt) ?? known;
      for (const [one, head] of own) if (head <= known) own.delete(one);
    },
    /** Whether a known commit is missing in a database whose last commit is `head`. */
    isMissingIn: (head: number): boolean => head !== known && ![...own.values()].includes(head),
  };
}
