import jsonata from "jsonata";
import { z } from "zod";
import { ENDPOINT_NAMES, type EndpointName } from "../../aggregator/endpoints/index.ts";
import { SAID_BY_REPLY } from "../../domain/observation.ts";
import type { Json } from "../../domain/result.ts";
import { field, hidden, listOf, oneOf, refuse, text } from "../../schema/fields.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const headers = z.record(z.string(), z.string()).superRefine((value, context) => {
  for (const name of Object.keys(value))
    if (/^(?:authorization|cookie|proxy-authorization|x-api-key)$/i.test(name))
      refuse(
        context,
        `"${name}" carries a secret, which is never written in the config`,
        "use auth",
        [name],
      );
});

/** JSONata is only parsed here; it runs later on answers, within the limits of the wire profile. */
const jsonataText = z.string().superRefine((value, context) => {
  try {
    jsonata(value);
  } catch (error) {
    const problem = error as { readonly message?: string; readonly position?: number };
    context.addIssue({
      code: "custom",
      message: `is not JSONata: ${problem.message ?? String(error)}`,
      params: { offset: problem.position },
    });
  }
});

const endpointSchema = z.strictObject({
  method: oneOf(METHODS, "The HTTP method.").optional(),
  path: hidden(
    text(
      "The path below `base_url`, with arguments in braces: `/api/v1/exchange/toggle/{exchange}`.",
    ),
  ).optional(),
  query: hidden(
    field(
      z.record(z.string(), z.string().nullable()),
      "map",
      "The query, with arguments in braces; null takes a default key away.",
    ),
  ).optional(),
  headers: hidden(field(headers, "map", "Further headers, none of them secret.")).optional(),
  body: hidden(
    field(z.unknown() as z.ZodType<Json>, "map", "The JSON body, with arguments in braces."),
  ).optional(),
  success: field(
    z.array(z.number().int().min(200).max(299)),
    "numbers",
    "The statuses that count as success.",
  ).optional(),
  map: field(
    jsonataText,
    "expression",
    "JSONata that turns this deployment's body into the default shape.",
  ).optional(),
  ignore: listOf(
    z.enum(SAID_BY_REPLY),
    `What this deployment's replies say without meaning it, so that it keeps nothing from being repaired: ${SAID_BY_REPLY.join(", ")}.`,
  ).optional(),
});

const shape = Object.fromEntries(
  ENDPOINT_NAMES.map((name) => [name, endpointSchema.optional()]),
) as Record<EndpointName, z.ZodOptional<typeof endpointSchema>>;

export const wireSchema = z.strictObject(shape);
