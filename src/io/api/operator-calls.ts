import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Scope as TokenScope } from "../../config/settings/tokens.ts";
import type { Command } from "../../domain/command.ts";
import type { Scope } from "../../domain/hold.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import { boolean, documented, object, plain, text } from "./codec.ts";
import {
  endOf,
  overrideBody,
  quarantineBody,
  reasonBody,
  unwatchBody,
  watchBody,
} from "./operator-bodies.ts";
import { errorSchema, problemsSchema, reply, TOKEN_REFUSALS } from "./replies.ts";
import type { KnownNames, ServerSource } from "./server-source.ts";
import { requireScope } from "./tokens.ts";

/** Operators' calls: each makes one command, with the operator's name and reason, for the loop. */

type Body = { readonly reason: string };

export type OperatorCall = {
  readonly method: "post" | "delete";
  /** `{id}` in it is the id of the hold, the silence or the proposal. */
  readonly path: string;
  readonly needs: TokenScope;
  readonly summary: string;
  readonly body: z.ZodType<Body>;
  /** The command of a body; each problem names the key that is wrong. */
  commandOf(body: Body, id: string, known: Known): Result<Command, readonly string[]>;
};

type Known = Pick<ServerSource, "names" | "now">;

/** A call by the type of its own body. */
function call<Own extends Body>(
  shape: Pick<OperatorCall, "method" | "path" | "needs" | "summary"> & {
    readonly body: z.ZodType<Own>;
    readonly commandOf: (
      body: Own,
      id: string,
      known: Known,
    ) => ReturnType<OperatorCall["commandOf"]>;
  },
): OperatorCall {
  return shape;
}

/** A call whose body is a reason and nothing else. */
function plainCall(
  shape: Pick<OperatorCall, "method" | "path" | "summary">,
  needs: TokenScope,
  commandOf: (id: string) => Command,
): OperatorCall {
  return call({ ...shape, needs, body: reasonBody, commandOf: (_, id) => succeed(commandOf(id)) });
}

/** A hold or a silence: it has a scope, and an end. */
function overrideCall(name: "hold" | "silence", summary: string): OperatorCall {
  return call({
    method: "post",
    path: `/api/v1/${name}s`,
    needs: "operate",
    summary,
    body: overrideBody,
    commandOf: (body, _id, known) => {
      const end = endOf(body, known.now());
      const problems = unknownNames(known.names(), body.scope);
      if (!end.ok) return fail([end.problem, ...problems]);
      if (problems.length > 0) return fail(problems);
      return succeed({ name, scope: body.scope, until: end.value });
    },
  });
}

/** A hold of a misspelt name would stop no action, and its operator would not know. */
function unknownNames(known: KnownNames, scope: Scope): string[] {
  return (["aggregator", "kind", "rule"] as const).flatMap((key) => {
    const value = scope[key];
    if (value === undefined || known[key].includes(value)) return [];
    const all = known[key].length === 0 ? "there is none" : known[key].join(", ");
    return [`scope.${key}: there is no ${key} "${value}" (${all})`];
  });
}

type WatchBody = z.infer<typeof watchBody>;

function watchCall(
  name: "watch" | "unwatch",
  shape: Pick<OperatorCall, "method" | "summary"> & { readonly body: z.ZodType<WatchBody> },
): OperatorCall {
  return call({
    ...shape,
    path: "/api/v1/watch",
    needs: "operate",
    commandOf: ({ reason: _reason, aggregator, ...entry }, _id, known) =>
      succeed({ name, aggregator: aggregator ?? onlyOne(known), entry: entry as WatchEntry }),
  });
}

/** If there are several aggregators and none is named, it is none of them. */
function onlyOne(known: Known): string {
  const { aggregator } = known.names();
  return aggregator.length === 1 ? (aggregator[0] ?? "") : "";
}

/** By the name of the CLI command, in the order of the OpenAPI document. */
export const operatorCalls = {
  hold: overrideCall("hold", "Stops actions, not alerts, until it ends."),
  silence: overrideCall("silence", "Stops notifications, not actions, until it ends."),
  release: plainCall(
    { method: "delete", path: "/api/v1/holds/{id}", summary: "Ends a hold." },
    "operate",
    (hold) => ({ name: "release", hold }),
  ),
  unsilence: plainCall(
    { method: "delete", path: "/api/v1/silences/{id}", summary: "Ends a silence." },
    "operate",
    (silence) => ({ name: "unsilence", silence }),
  ),
  approve: plainCall(
    { method: "post", path: "/api/v1/proposals/{id}/approve", summary: "Approves a proposal." },
    "approve",
    (proposal) => ({ name: "approve", proposal }),
  ),
  deny: plainCall(
    { method: "post", path: "/api/v1/proposals/{id}/deny", summary: "Denies a proposal." },
    "approve",
    (proposal) => ({ name: "deny", proposal }),
  ),
  kill: plainCall(
    { method: "post", path: "/api/v1/kill", summary: "Stops all actions." },
    "operate",
    () => ({ name: "kill", source: "operator" }),
  ),
  unkill: plainCall(
    {
      method: "delete",
      path: "/api/v1/kill",
      summary: "Releases the kill switch of the operators.",
    },
    "operate",
    () => ({ name: "unkill", source: "operator" }),
  ),
  unquarantine: call({
    method: "delete",
    path: "/api/v1/quarantines",
    needs: "operate",
    summary: "Ends the quarantine of an entity.",
    body: quarantineBody,
    commandOf: ({ entity }) => succeed({ name: "release_quarantine", entity }),
  }),
  watch: watchCall("watch", {
    method: "post",
    summary: "Puts an entry on a watch list; it stays there over restarts.",
    body: watchBody,
  }),
  unwatch: watchCall("unwatch", {
    method: "delete",
    summary: "Takes an entry of an operator off a watch list.",
    body: unwatchBody,
  }),
} satisfies Readonly<Record<string, OperatorCall>>;

/** The answer to an accepted call. */
export const doneAnswer = documented(
  object({
    accepted: plain(z.literal(true)),
    subject: documented(text, { description: "The id of the hold or the silence, for one." }),
    detail: text,
    durable: documented(boolean, { description: "It is on disk; if not, a restart forgets it." }),
  }),
  "Done",
);

const responses = {
  200: reply("It is done.", doneAnswer.schema),
  400: reply("The body is wrong: every problem.", problemsSchema),
  ...TOKEN_REFUSALS,
  409: reply(
    "It cannot be done, and why.",
    z.object({ accepted: z.literal(false), error: z.string() }),
  ),
  413: reply("The body is too large.", errorSchema),
};

export function addOperatorCall(
  app: OpenAPIHono,
  source: ServerSource,
  { method, path, summary, needs, body, ...own }: OperatorCall,
): void {
  const route = createRoute({
    method,
    path,
    summary: `${summary} Needs a token with the scope \`${needs}\`.`,
    request: {
      ...(path.includes("{id}") ? { params: z.object({ id: z.string().max(300) }) } : {}),
      body: { required: true, content: { "application/json": { schema: body } } },
    },
    middleware: [requireScope(source.gate, needs)] as const,
    responses,
  });
  app.openapi(route, (context) => {
    const asked = context.req.valid("json");
    const command = own.commandOf(asked, context.req.param("id") ?? "", source);
    if (!command.ok) {
      return context.json({ error: "the body is wrong", problems: [...command.problem] }, 400);
    }
    const by = context.var.operator;
    const { accepted, ...outcome } = source.command(by, asked.reason, command.value);
    if (!accepted) return context.json({ accepted, error: outcome.detail }, 409);
    return context.json(doneAnswer.encode({ accepted, ...outcome }), 200);
  });
}
