/** What a process knows to be committed of a unit, by what it has read and had acknowledged. */
export type KnownCommits = {
  readonly read: (head: number) => void;
  /** The attempt is written, and not acknowledged yet. */
  readonly wrote: (attempt: number, head: number) => void;
  /** This attempt is acknowledged as committed. */
  readonly told: (attempt: number) => void;
  /** Something of it is missing in a database that has this one as the last. */
  readonly isMissingIn: (head: number) => boolean;
};

export function createKnownCommits(): KnownCommits {
  let known = 0;
  /** Its own since then. */
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
