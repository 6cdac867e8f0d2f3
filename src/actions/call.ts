import { endpoints } from "../aggregator/endpoints/index.ts";
import { forbiddenCall } from "../aggregator/forbidden.ts";
import { encodeSegment } from "../aggregator/path-template.ts";
import type { ActEndpoint, ActionCall } from "../domain/action.ts";
import type { FactValue } from "../domain/entity.ts";

/**
 * The call of an endpoint with names that an aggregator gave; undefined if one is not known, or cannot stand in a
 * request. A request that could never be sent is not planned: it would spend a budget and an attempt, and a hostile
 * listing can hold any number of names such as `..`.
 */
export function callOf(
  endpoint: ActEndpoint,
  names: Readonly<Record<string, FactValue | undefined>>,
): ActionCall | undefined {
  const { method, path } = endpoints[endpoint];
  const args: Record<string, string> = {};
  let whole: string = path;
  for (const [arg, name] of Object.entries(names)) {
    const segment = typeof name === "string" ? encodeSegment(name) : undefined;
    if (typeof name !== "string" || segment?.ok !== true) return undefined;
    args[arg] = name;
    whole = whole.replace(`{${arg}}`, segment.value);
  }
  return forbiddenCall(method, whole) === undefined ? { endpoint, args } : undefined;
}
