/** A deliberate bug: one text of one file is replaced. */
export type CoreMutant = {
  /** Short, for `--only` and the table. */
  readonly name: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The mistake, in one sentence. */
  readonly means: string;
  /** How long things go wrong in a run that can notice it, in minutes, if that is longer than usual. */
  readonly minutes?: number;
  /** The directory of the rules in these runs; left out for the shipped ones. */
  readonly rules?: string;
  /** How many replicas share a database in the runs that are to notice it; left out for a process alone. */
  readonly replicas?: number;
  /** Over how many units these spread the watched senders. */
  readonly shards?: number;
  /** Why the simulation need not notice it, or cannot. */
  readonly survives?: string;
};
