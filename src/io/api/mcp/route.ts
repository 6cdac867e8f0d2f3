import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { fail, succeed } from "../../../domain/result.ts";
import { clientOf } from "../access.ts";
import { refusalText } from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { refusal, requireScope } from "../tokens.ts";
import { createMcpServer, type AskApi } from "./server.ts";

export const MCP_PATH = "/mcp";

const OFF =
  "agents are not answered here: set server.mcp in the config, or use `aggwatch mcp` (docs/agents.md)";

/**
 * `/mcp`: the tools for agents over HTTP, without sessions. Each call needs a token with at least the scope `read`, and
 * uses that token for the API, so the API's rules apply.
 */
export function addMcp(app: OpenAPIHono, source: ServerSource): void {
  app.use(MCP_PATH, async (context, next) => {
    if (source.mcp()) return next();
    return context.json({ error: OFF }, 404);
  });
  app.use(MCP_PATH, requireScope(source, "read"));
  app.all(MCP_PATH, async (context) => await answer(app, source, context));
}

async function answer(app: OpenAPIHono, source: ServerSource, context: Context) {
  const authorization = context.req.header("authorization") ?? "";
  const held = source.gate.whose(authorization, clientOf(context, source.access()));
  if (!held.allowed) return await refusal(context, source.gate, held);
  const ask: AskApi = async ({ method, path, body }) => {
    const reply = await app.request(
      path,
      {
        method,
        headers: { authorization, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      // So that the call has the same client address.
      context.env as object,
    );
    const said: unknown = await reply.json();
    return reply.ok ? succeed(said) : fail(refusalText(reply.status, said));
  };
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const handler = createMcpHandler(
    () => createMcpServer({ version: source.version, scopes: held.scopes, ask }),
    { maxSubscriptions: 0 },
  );
  return await handler.fetch(context.req.raw);
}
