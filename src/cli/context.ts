import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";

/** All of the process that a command may use. Only `main.ts` names `process`. */
export type CliContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal: print progress. */
  readonly isTerminal: boolean;
  /** Print colours: asked for by `--color`, or on a terminal unless `NO_COLOR` is set. */
  readonly isColoured?: boolean;
  /** How many columns that terminal has now; undefined if it is no terminal. */
  readonly width?: number | undefined;
  /** Writes lines to standard output: within the width, if that is a terminal. */
  readonly print: (text: string) => void;
  /** Writes what programs read to standard output, as it is. */
  readonly output: (text: string) => void;
  /** Writes lines to standard error, as `print` does. */
  readonly complain: (text: string) => void;
  /** Asks the person at the terminal; undefined if standard input is no terminal. The answer may be empty. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Standard input and output, for a command that speaks a protocol over them. */
  readonly streams?: { readonly input: Readable; readonly output: Writable };
  /** Aborted by SIGTERM or SIGINT: finish, and return. */
  readonly signal: AbortSignal;
  /** Calls the listener at each SIGHUP, instead of ending; returns a function that stops it. */
  readonly onHangup: (listener: () => void) => () => void;
  /** The entry of the thread that guards the loop; undefined in tests, where there is no process to end. */
  readonly guardEntry?: URL;
  /** The version of Node.js, such as `v24.21.0`. */
  readonly nodeVersion: string;
};

/** The value of an environment variable; one that is empty counts as not set. */
export function variable({ env }: Pick<CliContext, "env">, name: string): string | undefined {
  return env[name] === "" ? undefined : env[name];
}

/** The same before `print` and `complain` are fitted to a terminal: here they write the text as it is. */
export type Surroundings = Omit<CliContext, "output">;

/** Resolves when a command is to end. */
export async function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, "abort");
}

/** Exit codes, the same for every command; docs/operations.md explains them. */
export const EXIT = {
  ok: 0,
  /** Something that the user can fix: a bad config, a bad rule, an expectation that was not met. */
  problem: 1,
  /** The command line itself was wrong. */
  usage: 2,
  /** No problem, but lint warnings: `aggwatch check` alone. */
  lint: 3,
  /** No problem, but the two sets of rules differ: `aggwatch backtest --against` alone. */
  differs: 4,
  /** A bug of aggwatch's own that it cannot recover from (sysexits.h: EX_SOFTWARE). */
  bug: 70,
} as const;

/** All that keeps a command from being carried out, in its line and in the files that it names. */
export type Refusal = { readonly line: readonly string[]; readonly files?: readonly string[] };

/** Says on standard error why a command is not carried out; returns its exit code. */
export function refuse(
  { complain }: Pick<CliContext, "complain">,
  problem: string | Refusal,
  exitCode?: number,
): number {
  const { line, files = [] } =
    typeof problem === "string" ? { line: [], files: [problem] } : problem;
  for (const one of [...line, ...files]) complain(one);
  return exitCode ?? (line.length > 0 ? EXIT.usage : EXIT.problem);
}

/** Why a command ends without the answer that it was asked for, so that nothing takes silence for a good answer. */
export function interruptedBy({ signal }: Pick<CliContext, "signal">): string {
  return `interrupted by ${String(signal.reason)}`;
}

/** That required values of a command are missing, as one problem; none if all are given. */
export function missingIn(
  command: string,
  given: Readonly<Record<string, string | undefined>>,
): string[] {
  const missing = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || value.trim() === "" ? [name] : [],
  );
  return missing.length === 0
    ? []
    : [`missing: ${missing.join(", ")} (aggwatch ${command} --help)`];
}

/**
 * The first option or argument of a line that this call of a command does not take, as a problem; undefined if there is
 * none. With anything else it would look as if that had been heeded.
 */
export function extraIn(
  call: string,
  given: readonly string[],
  takes: readonly string[],
): string | undefined {
  const extra = given.find((one) => !takes.includes(one));
  const [command] = call.split(" ");
  return extra && `${call} takes no ${extra} (aggwatch ${command} --help)`;
}

/** The flags of options, from the names that the parser gives them. */
export function flagsOf(options: object): readonly string[] {
  return Object.keys(options).map(
    (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
}

/** A command is a value: one file, and one line in `program.ts`. */
export type CliCommand<Options> = {
  readonly name: string;
  /** Adds description, arguments and options. */
  readonly describe: (command: Command) => Command;
  /** How what it does not take is given; `option` is the name of one that it does not have, if that is what is wrong. */
  readonly hint?: (option: string | undefined) => string;
  /** Returns the exit code. `args` are the arguments that are not options. */
  readonly run: (options: Options, context: CliContext, args: readonly string[]) => Promise<number>;
};
