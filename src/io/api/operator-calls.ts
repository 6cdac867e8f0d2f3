import { z } from "@hono/zod-openapi";
import type { Scope as TokenScope } from "../../config/settings/tokens.ts";
import type { Command } from "../../domain/command.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import {
  approvalBody,
  endOf,
  overrideBody,
  quarantineBody,
  reasonBody,
  unwatchBody,
  watchBody,
} from "./operator-bodies.ts";
import type { ServerSource } from "./server-source.ts";
import { boolean, documented, object, plain, text } from "./codec.ts";

/**
 * Operators' calls: each gives the loop one command, with the operator's name and reason. The routes of the API, the
 * commands of the CLI, their completion and their docs come from this table.
 */

type Body = { readonly reason: string };

/** How long the answer to a call may take: an owner that has just died is replaced within this time. */
export const ANSWERED_WITHIN: Millis = 30 * SECOND;

export type OperatorCall<Own extends Body = Body> = {
  readonly method: "post" | "delete";
  /** `{id}` in it is the id of the hold, the silence or the proposal. */
  readonly path: string;
  readonly needs: TokenScope;
  /** For the OpenAPI document and for `--help`. */
  readonly summary: string;
  readonly body: z.ZodType<Own>;
  /** The argument of the CLI command: `{id}` or, if given, this key of the body. */
  readonly argument?: { readonly name: string; readonly means: string; readonly bodyKey?: string };
  /** The CLI command has options for a scope and an end. */
  readonly hasScope?: true;
  /** The command for a body; each problem names the wrong key. */
  commandOf(body: Own, id: string, known: Known): Result<Command, readonly string[]>;
};

type Known = Pick<ServerSource, "now">;
/** A call, typed by its own body. */
function call<Own extends Body>(own: OperatorCall<Own>): OperatorCall {
  return own;
}

type PlainCall = Omit<OperatorCall, "body" | "commandOf"> & {
  readonly commandOf: (id: string) => Command;
};

/** A call whose body is a reason and nothing else. */
function plainCall({ commandOf, ...described }: PlainCall): OperatorCall {
  const body = reasonBody;
  return { ...described, body, commandOf: (_body, id) => succeed(commandOf(id)) };
}

/** A call with a scope and an end. */
function overrideCall(name: "hold" | "silence", summary: string): OperatorCall {
  return call({
    method: "post",
    path: `/api/v1/${name}s`,
    needs: "hold",
    summary,
    hasScope: true,
    body: overrideBody,
    commandOf: ({ scope, ...body }, _id, known) => {
      const end = endOf(body, known.now());
      return end.ok ? succeed({ name, scope, ...end.value }) : fail([end.problem]);
    },
  });
}

type WatchBody = z.infer<typeof watchBody>;

function watchCommand(name: "watch" | "unwatch") {
  return ({ reason: _reason, aggregator = "", ...entry }: WatchBody) =>
    succeed<Command>({ name, aggregator, entry: entry as WatchEntry });
}

const operate = { needs: "operate" } as const;
const watch = { ...operate, path: "/api/v1/watch" } as const;
const kill = { ...operate, path: "/api/v1/kill" } as const;
const decision = {
  method: "post",
  needs: "approve",
  argument: { name: "proposal", means: "its id, such as p1" },
} as const;

/** By the name of the CLI command, in the order of `--help`. */
export const operatorCalls = {
  hold: overrideCall("hold", "Stops actions on what it covers, not alerts, until it ends."),
  release: plainCall({
    ...operate,
    method: "delete",
    path: "/api/v1/holds/{id}",
    summary: "Ends a hold.",
    argument: { name: "hold", means: "its id, such as h1" },
    commandOf: (hold) => ({ name: "release", hold }),
  }),
  silence: overrideCall(
    "silence",
    "Stops notifications of what it covers, not actions, until it ends.",
  ),
  unsilence: plainCall({
    ...operate,
    method: "delete",
    path: "/api/v1/silences/{id}",
    summary: "Ends a silence.",
    argument: { name: "silence", means: "its id, such as s1" },
    commandOf: (silence) => ({ name: "unsilence", silence }),
  }),
  approve: call({
    ...decision,
    path: "/api/v1/proposals/{id}/approve",
    summary:
      "Approves what a proposal shows; every guard and the reading before it are checked again.",
    body: approvalBody,
    commandOf: ({ digest }, proposal) => succeed({ name: "approve", proposal, digest }),
  }),
  deny: plainCall({
    ...decision,
    path: "/api/v1/proposals/{id}/deny",
    summary: "Denies a proposal for as long as its alert lasts.",
    commandOf: (proposal) => ({ name: "deny", proposal }),
  }),
  kill: plainCall({
    ...kill,
    method: "post",
    summary: "Stops all actions until unkill; alerts go on.",
    commandOf: () => ({ name: "kill", source: "operator" }),
  }),
  unkill: plainCall({
    ...kill,
    method: "delete",
    summary: "Releases the kill switch that kill has thrown.",
    commandOf: () => ({ name: "unkill", source: "operator" }),
  }),
  unquarantine: call({
    ...operate,
    method: "delete",
    path: "/api/v1/quarantines",
    summary: "Ends the quarantine of an entity.",
    argument: {
      name: "entity",
      means: "its whole key, such as bsc/exchange/BINANCE, or its id or alias",
      bodyKey: "entity",
    },
    body: quarantineBody,
    commandOf: ({ entity }) => succeed({ name: "release_quarantine", entity }),
  }),
  watch: call({
    ...watch,
    method: "post",
    summary: "Puts an entry on a watch list; it stays there across restarts.",
    body: watchBody,
    commandOf: watchCommand("watch"),
  }),
  unwatch: call({
    ...watch,
    method: "delete",
    summary: "Takes an entry of an operator off a watch list.",
    body: unwatchBody,
    commandOf: watchCommand("unwatch"),
  }),
} satisfies Readonly<Record<string, OperatorCall>>;

/** The answer to an accepted call. */
export const doneAnswer = documented(
  object({
    accepted: plain(z.literal(true)),
    subject: documented(text, { description: "Such as the id of the hold or the silence." }),
    detail: text,
    durable: documented(boolean, { description: "It is on disk; if not, a restart forgets it." }),
  }),
  "Done",
);
