/** The commits of a unit that a process knows of, because it has read them or had them acknowledged. */
export type KnownCommits = {
  readonly read: (head: number) => void;
  /** The attempt is written, and not acknowledged yet. */
  readonly wrote: (attempt: number, head: number) => void;
  /** This attempt is acknowledged as committed. */
  readonly told: (attempt: number) => void;
  /** Whether a known commit is missing in a database whose last commit is `head`. */
  readonly isMissingIn: (head: number) => boolean;
};

export function createKnownCommits(): KnownCommits {
  let known = 0;
  /** The process's own commits since then, by attempt. */
  const own = new Map<number, number>();
  return {
    read: (head) => {
      known = head;
      own.clear();
    },
    wrote: (attempt, head) => void own.set(attempt, head),
    told: (attempt) => {
      known = own.get(attempt) ?? known;
      for (const [one, head] of own) if (head <= known) own.delete(one);
    },
    isMissingIn: (head) => head !== known && ![...own.values()].includes(head),
  };
}
