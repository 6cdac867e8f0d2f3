import type { HttpMethod } from "../domain/http.ts";
import type { Json } from "../domain/result.ts";
import type { EndpointDefinition } from "./endpoints/definition.ts";

/** Where the arguments of an endpoint stand in its request. */

export type NamedTexts = ReadonlyArray<readonly [name: string, text: string]>;

/** All texts of a body, each with the name of its field. */
export function textsOf(body: Json | undefined, field = ""): NamedTexts {
  if (typeof body === "string") return [[field, body]];
  if (typeof body !== "object" || body === null) return [[field, ""]];
  return Object.entries(body).flatMap(([name, value]: [string, Json]) => textsOf(value, name));
}

/**
 * Where the arguments stand by default. They follow the method: with GET, the fields of the default body are in the
 * query; with POST, the keys of the default query are fields of the body. A whole argument keeps its name.
 */
export function argumentsFor(
  method: HttpMethod,
  { method: usual, query = {}, body, purpose }: EndpointDefinition,
): { readonly query: Readonly<Record<string, string>>; readonly body: Json | undefined } {
  if (method === usual || purpose === "act") return { query, body };
  if (method !== "GET") return { query: {}, body: query };
  const fields = textsOf(body).filter(([name]) => name !== "");
  const moved = fields.map(([name, text]) => [name, text.replace(/:number\}$/, "}")]);
  return { query: { ...query, ...Object.fromEntries(moved) }, body: undefined };
}
