import type { CheckReport } from "../../src/cli/check.ts";
import { runProgram } from "../../src/cli/program.ts";

/**
 * What `aggwatch check` has against a config and rules. That rules of pollers that are off say nothing is
 * no problem here: they are shipped for those who switch the pollers on.
 */
export async function check(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly problems: readonly string[] }> {
  const printed: string[] = [];
  const complaints: string[] = [];
  await runProgram(["check", "--json", ...args], {
    env,
    isTerminal: false,
    onHangup: () => () => undefined,
    nodeVersion: process.version,
    print: (line) => printed.push(line),
    complain: (line) => complaints.push(line),
    signal: new AbortController().signal,
  });
  const { problems } = JSON.parse(printed.join("\n")) as Pick<CheckReport, "problems">;
  const minded = problems.filter(
    ({ severity, id }) => severity !== "note" && id !== "lint/poller-off",
  );
  return { problems: [...complaints, ...minded.map(({ id, message }) => `${id}: ${message}`)] };
}
