import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { NO_PARAMETERS } from "./lists/closed-query.ts";
import { doneAnswer, operatorCalls, type OperatorCall } from "./operator-calls.ts";
import { BODY_REFUSALS, reply, TOKEN_REFUSALS, wrong } from "./replies.ts";
import type { ServerSource } from "./server-source.ts";
import { proposalAnswerOf } from "./status-answer.ts";
import { proposalAnswer } from "./status-rows.ts";
import { needsToken } from "./tokens.ts";

const responses = {
  200: reply("It is done.", doneAnswer.schema),
  ...BODY_REFUSALS,
  ...TOKEN_REFUSALS,
  409: reply(
    "It cannot be done, or was done by a replica alone whose lease has run out; and why.",
    z.object({
      accepted: z.literal(false),
      error: z.string(),
      proposal: proposalAnswer.schema.optional().openapi({
        description:
          "Of an approval or a denial: the proposal as it is now, or the one that took its place.",
      }),
    }),
  ),
};

/** The proposal to show to a person whose decision was refused. */
function presentProposal({ overview }: ServerSource, id: string) {
  const { proposals, kinds } = overview();
  const found = proposals.find((one) => one.id === id);
  return found && { proposal: proposalAnswer.encode(proposalAnswerOf(found, kinds)) };
}

export function addOperatorCalls(app: OpenAPIHono, source: ServerSource): void {
  for (const call of Object.values<OperatorCall>(operatorCalls)) addCall(app, source, call);
}

function addCall(
  app: OpenAPIHono,
  source: ServerSource,
  { method, path, summary, needs, body, ...own }: OperatorCall,
): void {
  const route = createRoute({
    method,
    path,
    summary: `${summary} Needs a token with the scope \`${needs}\`.`,
    request: {
      query: NO_PARAMETERS,
      ...(path.includes("{id}") ? { params: z.object({ id: z.string().max(300) }) } : {}),
      body: { required: true, content: { "application/json": { schema: body } } },
    },
    ...needsToken(source, needs),
    responses,
  });
  app.openapi(route, async (context) => {
    const asked = context.req.valid("json");
    const command = own.commandOf(asked, context.req.param("id") ?? "", source);
    if (!command.ok) return context.json(wrong("body", command.problem), 400);
    const by = context.var.operator;
    const answer = await source.command(by, asked.reason, command.value);
    const { accepted, problems, ...outcome } = answer;
    if (problems !== undefined) return context.json(wrong("body", problems), 400);
    if (!accepted) {
      const proposal = needs === "approve" ? presentProposal(source, outcome.subject) : undefined;
      return context.json({ accepted, error: outcome.detail, ...proposal }, 409);
    }
    return context.json(doneAnswer.encode({ accepted, ...outcome }), 200);
  });
}
