import type { CheckReport } from "../../src/cli/check.ts";
import { commandLine } from "../cli/command-line.ts";

/**
 * What `aggwatch check` has against a config and rules. That rules of pollers that are off say nothing is
 * no problem here: they are shipped for those who switch the pollers on.
 */
export async function check(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly problems: readonly string[] }> {
  const { printed, complained } = await commandLine(["check", "--json", ...args], env);
  const { problems } = JSON.parse(printed) as Pick<CheckReport, "problems">;
  const minded = problems.filter(
    ({ severity, id }) => severity !== "note" && id !== "lint/poller-off",
  );
  const complaints = complained === "" ? [] : [complained];
  return { problems: [...complaints, ...minded.map(({ id, message }) => `${id}: ${message}`)] };
}
