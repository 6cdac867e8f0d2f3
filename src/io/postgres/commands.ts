import type { Command } from "../../domain/command.ts";
import type { Millis } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import { pause } from "../process/pause.ts";
import { ANSWERED_WITHIN } from "../api/operator-calls.ts";
import type { CommandOutcome } from "../api/server-source.ts";
import { steadyNow } from "../process/clock.ts";
import { ON_DISK, type Ask, type Database } from "./database.ts";
import { IS_OWN_SCHEMA, otherSchema } from "./schema.ts";

/** An operator's command, which any replica may receive. */
export type AskedCommand = {
  readonly by: string;
  readonly reason: string;
  readonly command: Command;
};

const LOOK_EVERY: Millis = 100;
/** An older command is not taken: its caller already has the answer that nothing was done. */
const TAKEN_WITHIN: Millis = ANSWERED_WITHIN;

const NOT_GIVEN = "nothing was done: this replica ends. Give the command to another.";
const NOT_ANSWERED =
  "the replica that has the lease took it and did not answer: check whether it was done";

const NEVER = new AbortController().signal;

/**
 * Gives a command to the owner of a unit, and returns the owner's answer. The command is done once or not at all; if
 * the owner dies meanwhile, the outcome is unknown. `ending`: this replica ends, so it waits no longer and takes the
 * command back, if it can.
 */
export async function askOwner(
  { query, transaction }: Pick<Database, "query" | "transaction">,
  unit: string,
  asked: AskedCommand,
  ending = NEVER,
): Promise<CommandOutcome> {
  if (ending.aborted) return refused(NOT_GIVEN);
  const given = await transaction(async (ask) => {
    const [row] = await ask(
      `INSERT INTO command (unit, asked_at, body) SELECT $1::text, clock_timestamp(), $2::text
       WHERE ${IS_OWN_SCHEMA} RETURNING id`,
      [unit, JSON.stringify(asked)],
    );
    return row === undefined ? ((await otherSchema(ask)) ?? "give it again") : Number(row["id"]);
  });
  if (!given.ok) {
    const { kind, detail } = given.problem;
    if (kind === "unknown") return refused(`the outcome is unknown: ${detail}`);
    return refused(
      `nothing was done: the database cannot be used: ${detail}. Give the command to the replica that acts`,
    );
  }
  const id = given.value;
  if (typeof id === "string") return refused(`nothing was done: ${id}`);
  const answer = await answerTo(query, id, ending);
  if (answer !== undefined) return answer;
  try {
    const [left] = await query(
      "DELETE FROM command WHERE id = $1 AND taken_in IS NULL RETURNING id",
      [id],
    );
    if (left === undefined) return refused(NOT_ANSWERED);
    return refused(
      ending.aborted
        ? NOT_GIVEN
        : "nothing was done: no replica has the lease. Give the command again.",
    );
  } catch (error) {
    return refused(`the outcome is unknown: ${messageOf(error)}`);
  }
}

/** Undefined if there is none in time. While the database is away, an answer may still come once it is back. */
async function answerTo(
  query: Ask,
  id: number,
  ending: AbortSignal,
): Promise<CommandOutcome | undefined> {
  const until = steadyNow() + ANSWERED_WITHIN;
  while (steadyNow() < until && !ending.aborted) {
    await pause(LOOK_EVERY, ending);
    const asked = query("SELECT answer FROM command WHERE id = $1", [id]);
    const [found] = await asked.catch(() => []);
    const answer = found?.["answer"];
    if (typeof answer === "string") return JSON.parse(answer) as CommandOutcome;
  }
  return undefined;
}

function refused(detail: string): CommandOutcome {
  return { accepted: false, subject: "", detail, durable: false };
}

/** What was done and could not be written as the answer yet, by the id of the command. */
export type Unanswered = Map<number, CommandOutcome>;

/**
 * Takes the waiting commands of a unit, the oldest first, and answers each. A command is taken before it is done, so
 * that no other owner does it again. Rejects if the database is away; the answers that it did not take are in
 * `unanswered`, and are given first the next time.
 */
export async function answerCommands(
  { query }: Pick<Database, "query">,
  { unit, epoch, owner }: Record<"unit" | "owner", string> & { readonly epoch: number },
  apply: (asked: AskedCommand) => CommandOutcome | Promise<CommandOutcome>,
  unanswered: Unanswered = new Map(),
): Promise<void> {
  for (;;) {
    await giveAnswers(query, epoch, unanswered);
    const [row] = await query(
      `UPDATE command SET taken_in = $1 WHERE id = (
         SELECT id FROM command
         WHERE unit = $3 AND taken_in IS NULL AND asked_at > clock_timestamp() - $2 * interval '1 ms'
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
       ) AND EXISTS (SELECT FROM lease WHERE unit = $3 AND epoch = $1 AND owner = $4) AND ${IS_OWN_SCHEMA}
       RETURNING id, body, ${ON_DISK}`,
      [epoch, TAKEN_WITHIN, unit, owner],
    );
    if (row === undefined) return;
    const outcome = await apply(JSON.parse(String(row["body"])) as AskedCommand);
    unanswered.set(Number(row["id"]), outcome);
  }
}

/** A database that has lost commands may give the number of one to another. */
async function giveAnswers(query: Ask, epoch: number, unanswered: Unanswered): Promise<void> {
  for (const [id, outcome] of unanswered) {
    await query(
      "UPDATE command SET answered_at = clock_timestamp(), answer = $1 WHERE id = $2 AND taken_in = $3",
      [JSON.stringify(outcome), id, epoch],
    );
    unanswered.delete(id);
  }
}
