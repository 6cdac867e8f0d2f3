import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { SCOPES } from "../../config/settings/tokens.ts";
import { clientOf } from "./access.ts";
import { documented, list, object, text, word } from "./codec.ts";
import { NO_PARAMETERS } from "./lists/closed-query.ts";
import { reply, TOKEN_REFUSALS, WRONG_QUERY } from "./replies.ts";
import type { ServerSource } from "./server-source.ts";
import { neededToken, refusal } from "./tokens.ts";

export const holderAnswer = documented(
  object({ name: text, scopes: list(word(SCOPES)) }),
  "TokenHolder",
);

/** `GET /api/v1/token`: who holds the request's token, so that a person is offered only what it allows. */
export function addTokenHolder(app: OpenAPIHono, { gate, access }: ServerSource): void {
  const route = createRoute({
    method: "get",
    path: "/api/v1/token",
    summary: "Whose token it is, and what it allows.",
    request: { query: NO_PARAMETERS },
    security: neededToken(),
    responses: {
      200: reply("Its holder.", holderAnswer.schema),
      400: WRONG_QUERY,
      ...TOKEN_REFUSALS,
    },
  });
  app.openapi(route, async (context) => {
    const held = gate.whose(context.req.header("authorization"), clientOf(context, access()));
    if (!held.allowed) return await refusal(context, gate, held);
    return context.json(holderAnswer.encode(held), 200);
  });
}
