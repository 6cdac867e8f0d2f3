import type { Json } from "../../domain/result.ts";
import type { SimulatorRequest } from "../routes/request.ts";
import type { Route } from "../routes/routes.ts";
import { USUAL, type Deployment } from "./deployment.ts";
import { encodeReply, nameIn } from "./encode.ts";
import { READS, type Arguments, type ArgumentType } from "./shapes.ts";

/** Translates between a deployment's clients and the usual routes, which know nothing of the deployment. */
export type Border = {
  readonly routes: readonly Route[];
  /** The request in the usual form, for the route. */
  readonly requestFor: (route: Route, request: SimulatorRequest) => SimulatorRequest;
  /** The body of a read's answer, in the deployment's form. */
  readonly replyOf: (route: Route, request: SimulatorRequest, body: Json) => Json;
};

/** Reads by GET that take POST if `verbs` is `other`. */
const BY_POST: ReadonlySet<string> = new Set(["activeSwaps", "ordersByStatus", "exchangeInfo"]);

/** The method of an endpoint in a deployment; `method` is its usual one. */
export function methodIn(
  { verbs }: Deployment,
  { name, method, writes }: Pick<Route, "name" | "method" | "writes">,
): Route["method"] {
  if (verbs === "usual" || writes !== undefined) return method;
  if (method === "POST") return "GET";
  return BY_POST.has(name) ? "POST" : method;
}

/** Without a deployment, requests and replies pass unchanged. */
export function createBorder(deployment: Deployment | undefined, routes: readonly Route[]): Border {
  if (deployment === undefined)
    return {
      routes,
      requestFor: (_route, request) => request,
      replyOf: (_route, _request, body) => body,
    };
  const usual = new Map(routes.map((route) => [route.name, route]));
  return {
    routes: routes.map((route) => ({
      ...route,
      method: methodIn(deployment, route),
      paths: route.paths.map((path) => path.replace(USUAL.prefix, deployment.prefix)),
    })),
    requestFor: ({ name }, request) => {
      const { asks } = READS[name] ?? {};
      const method = usual.get(name)?.method ?? request.method;
      if (asks === undefined) return { ...request, method };
      const given = request.method === "GET" ? request.query : fieldsOf(request.body);
      if (given === undefined) return { ...request, method };
      const args = argumentsIn(deployment, asks, given);
      const texts = args.map(([key, value]): [string, string] => [key, textOf(value)]);
      return method === "GET"
        ? { ...request, method, query: Object.fromEntries(texts) }
        : { ...request, method, body: JSON.stringify(Object.fromEntries(args)) };
    },
    replyOf: ({ name }, request, body) => {
      const described = READS[name];
      if (described === undefined) return body;
      return encodeReply(deployment, described.reply, body, request.query["cursor"]);
    },
  };
}

/** Undefined if the body is not a JSON object; then the route refuses it. */
function fieldsOf(body: string): { readonly [key: string]: Json } | undefined {
  if (body.trim() === "") return {};
  try {
    const value = JSON.parse(body) as Json;
    const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
    return isFields ? (value as { readonly [key: string]: Json }) : undefined;
  } catch {
    return undefined;
  }
}

/** The arguments in their usual names and units, without those whose usual name the deployment does not know. */
function argumentsIn(
  deployment: Deployment,
  asks: Arguments,
  given: { readonly [key: string]: Json },
): Array<[string, Json]> {
  const named = new Map(Object.keys(asks).map((name) => [nameIn(deployment, name), name]));
  return Object.entries(given).flatMap(([key, value]): Array<[string, Json]> => {
    const name = named.get(key);
    const type = asks[name ?? key];
    if (name === undefined) return type === undefined ? [[key, value]] : [];
    return [[name, argumentIn(deployment, type ?? "text", value)]];
  });
}

function argumentIn({ instants }: Deployment, type: ArgumentType, value: Json): Json {
  if (type === "status") return textOf(value).toUpperCase();
  const number = type === "text" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return value;
  return type === "instant" && instants === "seconds" ? number * 1_000 : number;
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
