import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import type { Scope as TokenScope } from "../../config/settings/tokens.ts";
import type { Command } from "../../domain/command.ts";
import type { Scope } from "../../domain/hold.ts";
import {
  doneSchema,
  endOf,
  errorSchema,
  holdSchema,
  problemsSchema,
  reasonSchema,
  refusedSchema,
  scopeOf,
} from "./operate-schema.ts";
import type { ServerSource } from "./server-source.ts";
import { requireScope } from "./tokens.ts";

/** The calls of operators: each is one command, with a name and a reason, through the one loop. */

const LARGEST_BODY = 16_384;

const limitBody = bodyLimit({
  maxSize: LARGEST_BODY,
  onError: (context) =>
    context.json({ error: `the body must not be larger than ${LARGEST_BODY} bytes` }, 413),
});

export const content = <Schema extends z.ZodType>(schema: Schema) => ({
  "application/json": { schema },
});

const responses = {
  200: { description: "It is done.", content: content(doneSchema) },
  400: { description: "The body is wrong: every problem.", content: content(problemsSchema) },
  401: { description: "No token, or an unknown one.", content: content(errorSchema) },
  403: {
    description: "Writing calls are off, or the token lacks the scope.",
    content: content(errorSchema),
  },
  409: { description: "It cannot be done, and why.", content: content(refusedSchema) },
  413: { description: "The body is too large.", content: content(errorSchema) },
  429: { description: "Too many wrong tokens from this address.", content: content(errorSchema) },
};

type Shape<Body extends z.ZodType> = {
  readonly method: "post" | "delete";
  readonly path: string;
  readonly summary: string;
  readonly needs: TokenScope;
  readonly body: Body;
};

export function routeOf<Body extends z.ZodType>(source: ServerSource, shape: Shape<Body>) {
  return createRoute({
    method: shape.method,
    path: shape.path,
    summary: `${shape.summary} Needs a token with the scope \`${shape.needs}\`.`,
    request: {
      ...(shape.path.includes("{id}") ? { params: z.object({ id: z.string().max(300) }) } : {}),
      body: { required: true, content: content(shape.body) },
    },
    middleware: [requireScope(source.gate, shape.needs)] as const,
    responses,
  });
}

type Outcome = z.infer<typeof doneSchema> | z.infer<typeof refusedSchema>;

/** Carries a command out through the loop. */
export function carryOut(
  source: ServerSource,
  by: string,
  reason: string,
  command: Command,
): Outcome {
  const { accepted, subject, detail, durable } = source.command(by, reason, command);
  return accepted ? { accepted, subject, detail, durable } : { accepted, error: detail };
}

/** A call whose body is a reason and nothing else. */
function addPlain(
  app: OpenAPIHono,
  source: ServerSource,
  shape: Omit<Shape<typeof reasonSchema>, "body">,
  commandOf: (id: string) => Command,
): void {
  const route = routeOf(source, { ...shape, body: reasonSchema });
  app.openapi(route, (context) => {
    const { reason } = context.req.valid("json");
    const id = context.req.param("id") ?? "";
    const outcome = carryOut(source, context.var.operator, reason, commandOf(id));
    return outcome.accepted ? context.json(outcome, 200) : context.json(outcome, 409);
  });
}

/** A hold or a silence: of a scope, and with an end. */
function addStanding(app: OpenAPIHono, source: ServerSource, name: "hold" | "silence"): void {
  const summary =
    name === "hold"
      ? "Stops actions, not alerts, until it ends."
      : "Stops notifications, not actions, until it ends.";
  const path = `/api/v1/${name}s`;
  const route = routeOf(source, {
    method: "post",
    path,
    summary,
    needs: "operate",
    body: holdSchema,
  });
  app.openapi(route, (context) => {
    const asked = context.req.valid("json");
    const scope = scopeOf(asked);
    const end = endOf(asked, source.now());
    const problems = [...(end.ok ? [] : [end.problem]), ...unknownNames(source, scope)];
    if (!end.ok || problems.length > 0) {
      return context.json({ error: "the body is wrong", problems }, 400);
    }
    const command: Command = { name, scope, until: end.value };
    const outcome = carryOut(source, context.var.operator, asked.reason, command);
    return outcome.accepted ? context.json(outcome, 200) : context.json(outcome, 409);
  });
}

/** A hold of what is misspelt would stop nothing, while everybody believes that it does. */
function unknownNames(source: ServerSource, scope: Scope): string[] {
  const known = source.names();
  return (["aggregator", "kind", "rule"] as const).flatMap((key) => {
    const value = scope[key];
    if (value === undefined || known[key].includes(value)) return [];
    const all = known[key].length === 0 ? "there is none" : known[key].join(", ");
    return [`scope.${key}: there is no ${key} "${value}" (${all})`];
  });
}

export function addOperating(app: OpenAPIHono, source: ServerSource): void {
  app.use("/api/*", limitBody);
  addStanding(app, source, "hold");
  addStanding(app, source, "silence");
  const operate = { method: "delete", needs: "operate" } as const;
  const decide = { method: "post", needs: "approve" } as const;
  addPlain(
    app,
    source,
    { ...operate, path: "/api/v1/holds/{id}", summary: "Ends a hold." },
    (id) => ({ name: "release", hold: id }),
  );
  addPlain(
    app,
    source,
    { ...operate, path: "/api/v1/silences/{id}", summary: "Ends a silence." },
    (id) => ({ name: "unsilence", silence: id }),
  );
  addPlain(
    app,
    source,
    { ...decide, path: "/api/v1/proposals/{id}/approve", summary: "Approves a proposal." },
    (id) => ({ name: "approve", proposal: id }),
  );
  addPlain(
    app,
    source,
    { ...decide, path: "/api/v1/proposals/{id}/deny", summary: "Denies a proposal." },
    (id) => ({ name: "deny", proposal: id }),
  );
  const killPath = "/api/v1/kill";
  addPlain(
    app,
    source,
    { method: "post", needs: "operate", path: killPath, summary: "Stops all actions." },
    () => ({ name: "kill", source: "operator" }),
  );
  addPlain(
    app,
    source,
    { ...operate, path: killPath, summary: "Releases the kill switch of the operators." },
    () => ({ name: "unkill", source: "operator" }),
  );
  addQuarantine(app, source);
}

const quarantineSchema = z
  .strictObject({
    entity: z
      .string()
      .min(1)
      .max(600)
      .openapi({ description: "Its whole key.", example: "bsc/exchange/BINANCE" }),
    reason: reasonSchema.shape.reason,
  })
  .openapi("Unquarantine");

function addQuarantine(app: OpenAPIHono, source: ServerSource): void {
  const route = routeOf(source, {
    method: "delete",
    path: "/api/v1/quarantines",
    summary: "Ends the quarantine of an entity.",
    needs: "operate",
    body: quarantineSchema,
  });
  app.openapi(route, (context) => {
    const { entity, reason } = context.req.valid("json");
    const command: Command = { name: "release_quarantine", entity };
    const outcome = carryOut(source, context.var.operator, reason, command);
    return outcome.accepted ? context.json(outcome, 200) : context.json(outcome, 409);
  });
}
