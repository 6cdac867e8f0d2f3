import type { HttpMethod, Purpose } from "../domain/http.ts";
import { ACT_ENDPOINTS } from "../domain/action.ts";
import type { EndpointDefinition } from "./endpoints/definition.ts";
import type { EndpointName } from "./endpoints/index.ts";
import { ENDPOINT_NAMES, endpoints } from "./endpoints/index.ts";
import { forbiddenCall } from "./forbidden.ts";
import { parsePathTemplate, type PathSegment } from "./path-template.ts";

/**
 * The allow-list: which methods and paths a setting may give an endpoint. The interface states the end of each
 * path and leaves open what stands before it and how arguments are given, so that is what a setting may change.
 * A GET reads whatever its path is. A call with another method can act, so it must end as the interface says.
 */

/** The words of an endpoint's path that the interface states: `exchange/toggle` of `enableExchange`. */
export function statedWords(name: EndpointName): readonly string[] {
  const segments = endpoints[name].path.replace(/^\/(?:api\/v1\/)?/, "").split("/");
  return segments.filter((segment) => !segment.startsWith("{"));
}

/** `exchange/toggle` and `order/force`. */
export const ACTING_WORDS = ACT_ENDPOINTS.map(statedWords);

/** `toggle` and `force`: the base URL may end with the word before. */
export const ACTING_ENDS = ACTING_WORDS.map((words) => words.at(-1) ?? "");

/** The methods that an endpoint may be given. */
export function methodsAllowed(name: EndpointName): readonly HttpMethod[] {
  if (name === "forceCancel") return ["DELETE", "POST"];
  if (endpoints[name].purpose === "act") return ["POST"];
  return forbiddenCall("POST", endpoints[name].path) === undefined ? ["GET", "POST"] : ["GET"];
}

/** Why a path must not be given to an endpoint with this method, or undefined if it may. */
export function pathProblem(
  name: EndpointName,
  method: HttpMethod,
  segments: readonly PathSegment[],
): string | undefined {
  const words = segments.map((segment) => ("literal" in segment ? segment.literal : ""));
  const stated = statedWords(name);
  if (method === "GET") return isActing(words) ? "is the path of an action" : undefined;
  const start = words.findLastIndex((_word, at) => startsWith(words.slice(at), stated));
  if (start === -1) return `must hold ${stated.join("/")} if the method is ${method}`;
  if (words.slice(0, start).some((word) => ACTING_ENDS.includes(word.toLowerCase())))
    return "is the path of an action";
  if (segments.slice(0, start).some((segment) => "arg" in segment))
    return `must have no argument before ${stated.join("/")} if the method is ${method}`;
  const { args }: EndpointDefinition = endpoints[name];
  const isOwn = (segment: PathSegment): boolean =>
    "arg" in segment || segment.literal === "" || args.includes(segment.literal);
  return segments.slice(start + stated.length).every(isOwn)
    ? undefined
    : `must hold no more than arguments after ${stated.join("/")} if the method is ${method}`;
}

/** Why the paths of all endpoints must not begin so, or undefined if they may. */
export function apiPrefixProblem(prefix: string): string | undefined {
  if (prefix === "") return undefined;
  const segments = parsePathTemplate(prefix);
  if (!segments.ok) return segments.problem;
  if (segments.value.some((segment) => "arg" in segment)) return "must have no argument";
  const words = segments.value.map((segment) => ("literal" in segment ? segment.literal : ""));
  const acting = words.find((word) => ACTING_ENDS.includes(word.toLowerCase()));
  return acting === undefined ? undefined : `"${acting}" is a word of an action's path`;
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, at) => words[at] === word);
}

/** Whether a path's words hold those of an action, in whatever case. */
export function isActing(words: readonly string[]): boolean {
  const lower = words.map((word) => word.toLowerCase());
  return ACTING_WORDS.some((acting) =>
    lower.some((_word, at) => startsWith(lower.slice(at), acting)),
  );
}

/**
 * The calls that may leave with another method than GET, as the last gate knows them: the end of the final path,
 * in lower case, with as many segments behind it as the endpoint has arguments and names for them.
 */
export const CHANGING_CALLS: ReadonlyArray<{
  readonly name: EndpointName;
  readonly purpose: Purpose;
  readonly method: HttpMethod;
  readonly words: readonly string[];
  readonly most: number;
}> = ENDPOINT_NAMES.flatMap((name) =>
  methodsAllowed(name)
    .filter((method) => method !== "GET")
    .map((method) => ({
      name,
      purpose: endpoints[name].purpose,
      method,
      words: statedWords(name),
      most: 2 * endpoints[name].args.length,
    })),
);

/** Names under which frameworks take another method than the request's: `_method`, `X-HTTP-Method-Override`. */
export function isMethodName(key: string): boolean {
  return /method|override|^(?:http|x)*verb$/i.test(key.replace(/[^a-z]/gi, ""));
}

/** Whether a value is the word for a method, which an override under any name must hold. */
export function isMethodWord(value: string): boolean {
  return /^(?:get|head|post|put|patch|delete|options|trace|connect|merge|move|copy)$/i.test(
    value.trim(),
  );
}
