import { z } from "zod";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { MINUTE } from "../../domain/time.ts";
import { messageOf } from "../process/error-message.ts";
import type { Backup } from "./backup.ts";

const answerSchema = z.union([
  z.object({ file: z.string(), bytes: z.number() }),
  z.object({ error: z.string() }),
]);

/** A large journal takes its time. */
const LONGEST = 10 * MINUTE;

/** Asks a running daemon for a backup, which it writes into its own data directory. */
export async function callForBackup(
  daemon: string,
  token: string | undefined,
): Promise<Result<Backup, string>> {
  try {
    const response = await fetch(new URL("/api/v1/journal/backup", daemon), {
      method: "POST",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      redirect: "error",
      signal: AbortSignal.timeout(LONGEST),
    });
    const answer = answerSchema.safeParse(await response.json());
    if (!answer.success) return fail(`${daemon} does not answer as aggwatch does`);
    return "file" in answer.data
      ? succeed(answer.data)
      : fail(`${daemon} refuses (${response.status}): ${answer.data.error}`);
  } catch (error) {
    return fail(`${daemon} cannot be asked: ${messageOf(error)}`);
  }
}
