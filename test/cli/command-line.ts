import type { CliContext } from "../../src/cli/context.ts";
import { runProgram } from "../../src/cli/program.ts";

/** What came of a command line that ran in this process. */
export type Ran = {
  readonly exitCode: number;
  readonly printed: string;
  readonly complained: string;
};

/** Runs one command line, without a terminal and with nothing but `env` around it. */
export async function commandLine(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  change: Partial<CliContext> = {},
): Promise<Ran> {
  const printed: string[] = [];
  const complained: string[] = [];
  const exitCode = await runProgram(args, {
    env,
    isTerminal: false,
    nodeVersion: process.version,
    print: (line) => printed.push(line),
    complain: (line) => complained.push(line),
    onHangup: () => () => undefined,
    signal: new AbortController().signal,
    ...change,
  });
  return { exitCode, printed: printed.join("\n"), complained: complained.join("\n") };
}
