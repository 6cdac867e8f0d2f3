import type { EndpointDefinition } from "./endpoint-definition.ts";
import { ENDPOINT_NAMES, endpoints, type EndpointName } from "./endpoints.ts";
import { FORBIDDEN_CALLS } from "./forbidden.ts";

/**
 * The tables of docs/aggregator.md, written from the code so that they cannot differ from it. Who asks is not
 * known on this floor.
 */
export function endpointTable(askedBy: (name: EndpointName) => string): string {
  const rows = ENDPOINT_NAMES.map((name) => {
    const definition: EndpointDefinition = endpoints[name];
    const { purpose, statedBy, why } = definition;
    return `| \`${name}\` | ${purpose} | ${requestText(definition)} | ${statedBy} | ${askedBy(name)} | ${why} |`;
  });
  return [
    "| `wire.<name>` | purpose | default request | stated by | asked by | what it is for |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function requestText({ method, path, query, body }: EndpointDefinition): string {
  const pairs = Object.entries(query ?? {}).map(([key, value]) => `${key}=${value}`);
  const asked = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
  const content = body === undefined ? "" : `, body \`${JSON.stringify(body)}\``;
  return `\`${method} ${asked}\`${content}`;
}

export function forbiddenTable(): string {
  const rows = FORBIDDEN_CALLS.map(
    ({ method, tail, means }) => `| \`${method} …/${tail.join("/")}\` | ${means} |`,
  );
  return ["| never sent | because it |", "|---|---|", ...rows].join("\n");
}
