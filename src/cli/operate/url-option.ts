import type { Command } from "commander";
import { CLIENT_VARIABLES } from "../../config/variables.ts";

/** The address of a running aggwatch. */

export const DEFAULT_URL = "http://127.0.0.1:9733";

/** `--url` of what calls a daemon. */
export function daemonOption(command: Command): Command {
  const means = `the daemon's address (default: ${CLIENT_VARIABLES.url}, or ${DEFAULT_URL})`;
  return urlOption(command, means);
}

/** `--url`. With a text that is not an address, the command line is wrong. */
export function urlOption(command: Command, means: string): Command {
  return command.option("--url <url>", means, (url: string) => {
    const problem = addressProblem("--url", url);
    if (problem !== undefined) command.error(`error: ${problem}`);
    return url;
  });
}

/** What is wrong with an address, and where it is given. Shows no password. */
export function addressProblem(source: string, text: string): string | undefined {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  if (url === null)
    return `${source}: ${text.replace(/[^/]*@/, "")} is not an address; it must be like ${DEFAULT_URL}`;
  return url.username + url.password === ""
    ? undefined
    : `${source}: an address here has no user and no password; commands send the token in their token file`;
}
