import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { entityKey } from "../../domain/entity.ts";
import { originText } from "../../domain/watch.ts";
import type { Finding } from "../../domain/finding.ts";
import { formatScope } from "../../domain/hold.ts";
import { formatDuration } from "../../domain/time.ts";
import {
  documented,
  instant,
  list,
  object,
  orNull,
  text,
  type JsonOf,
  type ValueOf,
} from "./codec.ts";
import { problemsSchema, reply } from "./replies.ts";
import type { ServerSource } from "./server-source.ts";

/** `GET /api/v1/findings`: what happened last, from the journal. */

const MOST_FINDINGS = 1_000;
const FINDINGS = 100;

const finding = documented(
  object({
    at: instant,
    type: text,
    /** What it is about: the key of an entity, the id of a hold, the name of a rule. */
    subject: text,
    what: text,
    detail: text,
    by: orNull(text),
    reason: orNull(text),
  }),
  "Finding",
);

const findingsAnswer = list(finding);

export type FindingsJson = JsonOf<typeof findingsAnswer>;

type Row = Omit<ValueOf<typeof finding>, "at" | "type">;

export function addFindings(app: OpenAPIHono, source: ServerSource): void {
  const limit = z.coerce.number().int().min(1).max(MOST_FINDINGS).default(FINDINGS);
  const route = createRoute({
    method: "get",
    path: "/api/v1/findings",
    summary: "What happened last, newest first: alerts, actions, commands, and the reasons.",
    request: { query: z.object({ limit }) },
    responses: {
      200: reply("The newest findings of the journal.", findingsAnswer.schema),
      400: reply("The query is wrong.", problemsSchema),
    },
  });
  app.openapi(route, async (context) => {
    const found = await source.findings(context.req.valid("query").limit);
    const rows = found.map(({ at, finding: one }) => ({ at, type: one.type, ...rowOf(one) }));
    return context.json(findingsAnswer.encode(rows), 200);
  });
}

function rowOf(finding: Finding): Row {
  const { detail } = { detail: "", ...finding };
  switch (finding.type) {
    case "polled":
      return { subject: `${finding.aggregator}/${finding.poller}`, what: finding.outcome, detail };
    case "entity":
      return { subject: entityKey(finding.entity), what: finding.change, detail };
    case "left_out": {
      const { aggregator, kind, why, count } = finding;
      return { subject: `${aggregator}/${kind}`, what: `${count} left out (${why})`, detail };
    }
    case "took": {
      const what = `took ${formatDuration(finding.tookMs)}`;
      return { subject: entityKey(finding.entity), what, detail };
    }
    case "alert":
      return { subject: finding.alert.key, what: finding.change, detail };
    case "suppressed":
      return { subject: finding.alert, what: finding.action, detail, reason: finding.reason };
    case "proposed":
    case "withdrawn":
      return { subject: entityKey(finding.entity), what: finding.action, detail };
    case "unconfirmed":
      return { subject: finding.alert, what: finding.action, detail };
    case "remediation": {
      const { id, action, state } = finding.remediation;
      return { subject: finding.remediation.alert, what: `${id} ${action} ${state}`, detail };
    }
    case "command":
      return rowOfCommand(finding);
    case "policy": {
      const { added, removed, changed } = finding;
      const what = `${added.length} added, ${removed.length} removed, ${changed.length} changed`;
      return { subject: "rules", what, detail };
    }
    case "watch": {
      const { aggregator, source, name, entries, ended } = finding;
      const what = `${entries} entries, ${ended} entities ended`;
      return { subject: `${aggregator}: ${originText({ source, name })}`, what, detail };
    }
    case "kill":
      return { subject: finding.source, what: finding.on ? "on" : "off", detail };
    case "hold": {
      const { id, scope, owner, reason } = finding.hold;
      const subject = `${id} (${formatScope(scope)})`;
      return { subject, what: finding.change, detail, by: owner, reason };
    }
    case "quarantine":
      return { subject: finding.entity, what: finding.change, detail };
    case "muted":
      return { subject: finding.subject, what: finding.reason, detail };
    case "notified": {
      const { channel, outcome, count } = finding;
      return { subject: channel, what: `${outcome} (${count})`, detail };
    }
    case "storm":
      return { subject: `${finding.rule} on ${finding.aggregator}`, what: finding.change, detail };
  }
}

function rowOfCommand(finding: Extract<Finding, { type: "command" }>): Row {
  const { by, reason, subject, name, accepted, detail } = finding;
  // Older versions wrote neither subject nor reason.
  const what = `${name} ${accepted ? "accepted" : "refused"}`;
  return { subject: subject ?? "", what, detail, by, reason: reason ?? "" };
}
