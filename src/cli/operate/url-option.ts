import type { Command } from "commander";

/** The address of a running aggwatch. */

export const DEFAULT_URL = "http://127.0.0.1:9733";

/** `--url`. With a text that is not an address, the command line is wrong. */
export function urlOption(command: Command, means: string): Command {
  return command.option("--url <url>", means, (url: string) => {
    const problem = addressProblem("--url", url);
    if (problem !== undefined) command.error(`error: ${problem}`);
    return url;
  });
}

/** What is wrong with an address, and where it is given. */
export function addressProblem(source: string, url: string): string | undefined {
  return URL.canParse(url) && /^https?:\/\//.test(url)
    ? undefined
    : `${source}: ${url} is not an address; it must be like ${DEFAULT_URL}`;
}
