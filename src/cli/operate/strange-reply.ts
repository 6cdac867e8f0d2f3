import type { Result } from "../../domain/result.ts";
import { packageVersion } from "../package-version.ts";

/** What is said of a reply that lacks what was asked for; `askStatus` asks the daemon who it is. */
export async function strangeReply(
  askStatus: () => Promise<Result<unknown, string>>,
): Promise<string> {
  const strange = "the reply is not as expected: ";
  const status = await askStatus();
  const { version }: { version?: unknown } = Object(status.ok ? status.value : undefined);
  if (typeof version !== "string") return `${strange}what answers is not an aggwatch`;
  const own = packageVersion();
  const daemon = `the daemon is aggwatch ${version}, and this command is of `;
  const builds = own === version ? "another build of it" : own;
  return `${strange}${daemon}${builds}. Run the command of the daemon's own installation or container, or upgrade the older one.`;
}
