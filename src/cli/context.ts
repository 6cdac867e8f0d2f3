import type { Command } from "commander";

/** What a command may touch of the process. Only `main.ts` names `process`. */
export type CliContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal: colours and progress are welcome. */
  readonly isTerminal: boolean;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly complain: (line: string) => void;
  /** Aborted by SIGTERM or SIGINT: finish, and return. */
  readonly signal: AbortSignal;
  /** Calls the listener at each SIGHUP, instead of ending; what it gives ends that. */
  readonly onHangup: (listener: () => void) => () => void;
  /** What a thread runs that guards the loop; undefined where there is no process of its own to end. */
  readonly guardEntry?: URL;
  /** Of the Node.js that runs, e.g. `v24.21.0`. */
  readonly nodeVersion: string;
};

/** Exit codes, the same for every command; docs/operations.md explains them. */
export const EXIT = {
  ok: 0,
  /** Something the user can mend: a bad config, a bad rule, an expectation that was not met. */
  problem: 1,
  /** The command line itself was wrong. */
  usage: 2,
  /** Nothing is wrong, and lint found something: `aggwatch check` alone. */
  lint: 3,
  /** Nothing is wrong, and the two sets of rules differ: `aggwatch backtest --against` alone. */
  differs: 4,
  /** A bug of aggwatch's own that came again and again (sysexits.h: EX_SOFTWARE). */
  bug: 70,
} as const;

/** A command is a value: one file, and one line in `program.ts`. */
export type CliCommand<Options> = {
  readonly name: string;
  /** Adds description, arguments and options. */
  readonly describe: (command: Command) => Command;
  /** Gives the exit code. `args` are those that are no options. */
  readonly run: (options: Options, context: CliContext, args: readonly string[]) => Promise<number>;
};
