import { fail, succeed, type Result } from "../../domain/result.ts";
import { decodeAnswer } from "../../io/api/codec.ts";
import { entitiesAnswer } from "../../io/api/lists/entities.ts";
import type { CliContext } from "../context.ts";
import { callDaemon, withQuery, type ClientOptions } from "./client.ts";

/** More entities of one name than this are no name. */
const MOST = "200";

/**
 * What a person calls an entity, as `kind/id`: an alias or a name stands for the id, as in `sender/desk-a`, and alone,
 * as `desk-a`, if one entity alone has it. What names nothing is given back as it is: the daemon says what it knows.
 */
export async function targetOf(
  text: string,
  aggregator: string | undefined,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<string, string>> {
  const slash = text.indexOf("/");
  const [kind, id] = slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
  if (id === "") return succeed(text);
  const path = withQuery("/api/v1/entities", { kind, aggregator, text: id, limit: MOST });
  const reply = await callDaemon({ method: "GET", path }, options, context);
  const answer = reply.ok ? decodeAnswer(entitiesAnswer, reply.value) : undefined;
  // A kind that is none is refused here, too: the call itself says that better.
  if (answer === undefined) return succeed(text);
  const rows = answer.rows;
  if (kind !== undefined && rows.some((row) => row.id === id)) return succeed(text);
  if (kind === undefined && answer.counts.some((count) => count.kind === id)) return succeed(text);
  const named = rows.filter(
    ({ id: own, facts }) => own === id || facts["alias"] === id || facts["name"] === id,
  );
  const keys = [...new Set(named.map((row) => `${row.kind}/${row.id}`))];
  const [only, ...more] = keys;
  if (only === undefined) return succeed(text);
  if (more.length > 0) return fail(`"${text}" is the name of several: ${keys.join(", ")}`);
  if (only !== text) context.complain(`${text} is ${only}`);
  return succeed(only);
}
