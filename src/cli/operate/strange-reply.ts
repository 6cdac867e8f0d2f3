import type { Result } from "../../domain/result.ts";
import { refusalText } from "../../io/api/replies.ts";
import { packageVersion } from "../package-version.ts";

/** Asks the daemon for its status, which says its version. */
type AskStatus = () => Promise<Result<unknown, string>>;

/** What is said of a reply that lacks what was asked for. */
export async function strangeReply(askStatus: AskStatus): Promise<string> {
  const strange = "the reply is not as expected: ";
  const version = await versionOf(askStatus);
  if (version === undefined) return `${strange}what answers is not an aggwatch`;
  return strange + otherText(version);
}

/** The answers to a call that the daemon does not know, or takes otherwise. Some are answers to what people wrote. */
const MAYBE_UNKNOWN: ReadonlySet<number> = new Set([400, 404, 405]);

/** What is said of a refusal: a daemon of another version may refuse what this version may ask. */
export async function refusal(
  status: number,
  said: unknown,
  askStatus: AskStatus,
): Promise<string> {
  const text = refusalText(status, said);
  if (!MAYBE_UNKNOWN.has(status)) return text;
  const version = await versionOf(askStatus);
  if (version === undefined || (version === packageVersion() && !isOfPath(status, said)))
    return text;
  return `${text}\n${otherText(version)}`;
}

/** No one writes the path of a call, so the daemon does not know the call itself. */
function isOfPath(status: number, said: unknown): boolean {
  const { error }: { error?: unknown } = Object(said);
  return status === 405 || (typeof error === "string" && error.startsWith("no such page: "));
}

async function versionOf(askStatus: AskStatus): Promise<string | undefined> {
  const status = await askStatus();
  const { version }: { version?: unknown } = Object(status.ok ? status.value : undefined);
  return typeof version === "string" ? version : undefined;
}

function otherText(version: string): string {
  const own = packageVersion();
  const daemon = `the daemon is aggwatch ${version}, and this command is of `;
  const builds = own === version ? "another build of it" : own;
  return `${daemon}${builds}. Run the command of the daemon's own installation or container, or upgrade the older one.`;
}
