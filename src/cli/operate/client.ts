import type { Command } from "commander";
import { CLIENT_VARIABLES } from "../../config/variables.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { meantAll } from "../../domain/shown/lookalike.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { decodeAnswer, type Codec } from "../../io/api/codec.ts";
import { ANSWERED_WITHIN, doneAnswer, type OperatorCall } from "../../io/api/operator-calls.ts";
import { variable, type CliContext } from "../context.ts";
import { isRefusal, jsonIn, mayBeProxy, noAnswer, otherAnswer } from "./no-answer.ts";
import { printAll, type LinesOf } from "./print-answers.ts";
import { readToken } from "./read-token.ts";
import { refusal, strangeReply } from "./strange-reply.ts";
import { addressProblem, daemonOption, DEFAULT_URL } from "./url-option.ts";

/** How the commands of operators reach a running daemon. */
export type ClientOptions = {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly json?: true;
};

const REPLY_WITHIN: Millis = 10 * SECOND;
const DONE_WITHIN: Millis = ANSWERED_WITHIN + REPLY_WITHIN;

/** The options of every command that calls a daemon and prints its reply. */
export function readingOptions(command: Command): Command {
  return daemonOption(command).option("--json", "the reply as JSON, for scripts");
}

export type WatchOptions = ClientOptions & { readonly watch?: true };

/** Those of every command that shows what changes. */
export function watchingOptions(command: Command): Command {
  return readingOptions(command).option(
    "-w, --watch",
    "asks again every two seconds, until Ctrl-C",
  );
}

/** Those of every command that changes something. A token itself is never on a command line. */
export function writingOptions(command: Command): Command {
  return readingOptions(command)
    .option("--reason <text>", "why; it is kept with your name; it must be given")
    .option(...TOKEN_FILE_OPTION);
}

export const TOKEN_FILE_OPTION = [
  "--token-file <file>",
  `the file that your token is in (default: ${CLIENT_VARIABLES.tokenFile})`,
] as const;

/** What a daemon answers that cannot answer yet, as it still reads its journal. */
const NOT_YET = 503;

type Call = {
  /** Default: `GET`. */
  readonly method?: "GET" | "POST" | "DELETE";
  /** With its leading `/`, and the query. */
  readonly path: string;
  /** What is undefined in it is not sent. */
  readonly body?: object;
  /** How long the reply may take. */
  readonly withinMs?: Millis;
  /** Sends the token, though the call only reads. */
  readonly showsToken?: boolean;
  /** Default: whether the method is `GET`. */
  readonly isReadOnly?: boolean;
  /** Is given the problem if no daemon answers, or if it cannot yet. */
  readonly ifAway?: (problem: string) => void;
};

/** A path with the parameters that are given; names in them may be as they are printed. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  return `${path}?${new URLSearchParams(meantAll(parameters)).toString()}`;
}

/** Returns the JSON of the reply; the problem is a sentence that says what to do, or all problems. */
export async function callDaemon(
  call: Call,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<unknown, string>> {
  const { env, signal } = context;
  const { method = "GET", path, body, withinMs, ifAway } = call;
  const { isReadOnly: reads = method === "GET", showsToken = method !== "GET" } = call;
  const within = withinMs ?? (method === "GET" ? REPLY_WITHIN : DONE_WITHIN);
  const base = options.url ?? variable({ env }, CLIENT_VARIABLES.url) ?? DEFAULT_URL;
  const problem = addressProblem(CLIENT_VARIABLES.url, base);
  if (problem !== undefined) return fail(problem);
  const token = showsToken ? readToken(options, env) : succeed(undefined);
  if (!token.ok) return token;
  try {
    const reply = await fetch(base.replace(/\/+$/, "") + path, {
      method,
      // A redirect must not carry the token elsewhere.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(within)]),
      headers: {
        ...(token.value === undefined ? {} : { authorization: `Bearer ${token.value}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const decoded = jsonIn(await reply.text());
    if (reply.ok && decoded !== undefined) return succeed(decoded);
    if (isRefusal(reply, decoded)) {
      const said = await refusal(reply.status, decoded, overviewCall(path, options, context));
      if (reply.status === NOT_YET) ifAway?.(said);
      return fail(said);
    }
    const why = otherAnswer(reply.status, decoded !== undefined, { base, reads });
    if (mayBeProxy(reply)) ifAway?.(why);
    return fail(why);
  } catch (error) {
    const why = noAnswer(error, { base, reads, within, signal });
    ifAway?.(why);
    return fail(why);
  }
}

/** The same, as the value that the codec reads in the reply. */
export async function askDaemon<Value, Json>(
  call: Call,
  answer: Codec<Value, Json>,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<Value, string>> {
  const reply = await callDaemon(call, options, context);
  return reply.ok ? readReply(reply.value, answer, options, context) : reply;
}

async function readReply<Value, Json>(
  reply: unknown,
  answer: Codec<Value, Json>,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<Value, string>> {
  const read = decodeAnswer(answer, reply);
  if (read !== undefined) return succeed(read);
  return fail(await strangeReply(overviewCall("", options, context)));
}

/** The state at a glance: it stays short, however much is watched. */
export const OVERVIEW = "/api/v1/overview";

/** Asks the daemon who it is, unless that is what was asked. */
function overviewCall(path: string, options: ClientOptions, context: CliContext) {
  if (path === OVERVIEW) return async () => fail("it does not say");
  return async () => await callDaemon({ path: OVERVIEW }, options, context);
}

/** Makes a call and prints the reply, as JSON or as lines; returns the exit code. Watching, it does so again and again. */
export async function askAndPrint<Reply, Json>(
  call: Call,
  answer: Codec<Reply, Json>,
  options: WatchOptions,
  context: CliContext,
  linesOf: LinesOf<Reply>,
  jsonOf: (json: Json) => unknown = (json) => json,
): Promise<number> {
  const ask = async () => {
    const reply = await callDaemon(call, options, context);
    if (!reply.ok) return reply;
    const read = await readReply(reply.value, answer, options, context);
    if (!read.ok) return read;
    // It could be decoded, so it has that shape. What is not asked for is left out of it by `jsonOf`.
    const json = jsonOf(reply.value as Json);
    return succeed({ lines: await linesOf(read.value, context.width), json });
  };
  const isRead = (call.method ?? "GET") === "GET";
  return await printAll(ask, isRead ? options : { ...options, watch: undefined }, context);
}

/** An operator's call; `subject` takes the place of `{id}` in its path. */
export function callOf({ method, path }: OperatorCall, subject: string, body: object): Call {
  return {
    method: method === "post" ? "POST" : "DELETE",
    path: path.replace("{id}", encodeURIComponent(subject)),
    body,
  };
}

/** Makes an operator's call and prints what it did, with what there is to add to that. */
export async function commandAndPrint(
  operatorCall: OperatorCall,
  subject: string,
  body: object,
  options: ClientOptions,
  context: CliContext,
  added: (detail: string) => Promise<readonly string[]> = async () => [],
): Promise<number> {
  const call = callOf(operatorCall, subject, body);
  return askAndPrint(call, doneAnswer, options, context, async ({ detail, durable }) => [
    `done: ${detail}`,
    ...(await added(detail)),
    ...(durable
      ? []
      : ["It is not on disk, because the journal cannot be written: a restart forgets it."]),
  ]);
}
