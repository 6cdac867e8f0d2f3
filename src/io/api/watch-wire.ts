import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Command } from "../../domain/command.ts";
import {
  LONGEST_ALIAS,
  LONGEST_TARGET,
  originText,
  WATCH_SOURCES,
  type WatchReading,
} from "../../domain/watch.ts";
import { carryOut, content, routeOf } from "./operate-wire.ts";
import { countsOf } from "./watch-counts.ts";
import { reasonSchema } from "./operate-schema.ts";
import type { ServerSource } from "./server-source.ts";
import { instant, optional } from "./wire-parts.ts";

/** The watch lists: what is on them and where it comes from, and the entries of operators. */

const entry = z.object({
  kind: z.string(),
  target: z.string(),
  alias: z.string().nullable(),
  /** Every source that lists it, the one that counts first. */
  origins: z.array(z.string()),
});

const source = z.object({
  name: z.string(),
  source: z.enum(WATCH_SOURCES),
  entries: z.number(),
  last_success: instant.nullable(),
  problem: z.string().nullable(),
});

export const watchSchema = z
  .object({
    aggregators: z.array(
      z.object({
        name: z.string(),
        counts: z.array(
          z.object({ kind: z.string(), source: z.enum(WATCH_SOURCES), entries: z.number() }),
        ),
        sources: z.array(source),
        conflicts: z.array(z.string()),
        total: z.number(),
        entries: z.array(entry),
      }),
    ),
  })
  .openapi("Watch");

export type WatchWire = z.infer<typeof watchSchema>;

const MOST_SHOWN = 100_000;
const SHOWN = 1_000;

const query = z.object({
  aggregator: z.string().max(300).optional(),
  kind: z.string().max(300).optional(),
  limit: z.coerce
    .number()
    .int()
    .min(0)
    .max(MOST_SHOWN)
    .default(SHOWN)
    .openapi({ description: "The most entries of each aggregator that are shown." }),
});

const target = z
  .string()
  .min(1)
  .max(LONGEST_TARGET)
  .openapi({ description: "An address, an order's id, or factory/pair.", example: "0x8a…" });

const plain = z.strictObject({
  aggregator: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .openapi({ description: "May be left out where there is one." }),
  kind: z.string().min(1).max(100).openapi({ example: "sender" }),
  target,
  reason: reasonSchema.shape.reason,
});

const addSchema = plain
  .extend({ alias: z.string().min(1).max(LONGEST_ALIAS).optional() })
  .openapi("WatchEntry");

const removeSchema = plain.openapi("UnwatchEntry");

export function addWatch(app: OpenAPIHono, served: ServerSource): void {
  addList(app, served);
  const path = "/api/v1/watch";
  const add = routeOf(served, {
    method: "post",
    path,
    summary: "Puts an entry on a watch list; it stays there over restarts.",
    needs: "operate",
    body: addSchema,
  });
  app.openapi(add, (context) => {
    const { reason, aggregator, ...asked } = context.req.valid("json");
    const { alias, ...rest } = asked;
    const command: Command = {
      name: "watch",
      aggregator: aggregator ?? onlyOne(served),
      entry: { ...rest, ...(alias === undefined ? {} : { alias }) },
    };
    const outcome = carryOut(served, context.var.operator, reason, command);
    return outcome.accepted ? context.json(outcome, 200) : context.json(outcome, 409);
  });
  const remove = routeOf(served, {
    method: "delete",
    path,
    summary: "Takes an entry of an operator off a watch list.",
    needs: "operate",
    body: removeSchema,
  });
  app.openapi(remove, (context) => {
    const { reason, aggregator, ...rest } = context.req.valid("json");
    const command: Command = {
      name: "unwatch",
      aggregator: aggregator ?? onlyOne(served),
      entry: rest,
    };
    const outcome = carryOut(served, context.var.operator, reason, command);
    return outcome.accepted ? context.json(outcome, 200) : context.json(outcome, 409);
  });
}

/** Where there are several, the one that is not said is none of them. */
function onlyOne(served: ServerSource): string {
  const { aggregator } = served.names();
  return aggregator.length === 1 ? (aggregator[0] ?? "") : "";
}

function addList(app: OpenAPIHono, served: ServerSource): void {
  const route = createRoute({
    method: "get",
    path: "/api/v1/watch",
    summary: "The watch lists: entries, where they come from, and how their sources are.",
    request: { query },
    responses: { 200: { description: "The lists.", content: content(watchSchema) } },
  });
  app.openapi(route, (context) => {
    const { aggregator, kind, limit } = context.req.valid("query");
    const aggregators = served
      .watched()
      .filter((one) => aggregator === undefined || one.aggregator === aggregator)
      .map((one) => toWire(one, kind, limit));
    return context.json({ aggregators }, 200);
  });
}

function toWire(
  reading: WatchReading,
  kind: string | undefined,
  limit: number,
): WatchWire["aggregators"][number] {
  const own = reading.entries.filter((one) => kind === undefined || one.kind === kind);
  return {
    name: reading.aggregator,
    counts: [...countsOf(reading)],
    sources: reading.sources.map((one) => ({
      name: originText(one),
      source: one.source,
      entries: one.entries?.length ?? 0,
      last_success: optional(one.successAt),
      problem: one.problem ?? null,
    })),
    conflicts: [...reading.conflicts],
    total: own.length,
    entries: own.slice(0, limit).map((one) => ({
      kind: one.kind,
      target: one.target,
      alias: one.alias ?? null,
      origins: [...one.origins],
    })),
  };
}
