import { runProgram } from "../../src/cli/program.ts";

/** `aggwatch check` with some arguments and variables: how it ends, and what it complains of. */
export async function check(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{
  readonly exitCode: number;
  readonly complaints: readonly string[];
}> {
  const complaints: string[] = [];
  const exitCode = await runProgram(["check", ...args], {
    env,
    isTerminal: false,
    onHangup: () => () => undefined,
    nodeVersion: process.version,
    print: () => undefined,
    complain: (line) => complaints.push(line),
    signal: new AbortController().signal,
  });
  return { exitCode, complaints };
}
