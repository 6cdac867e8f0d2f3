import type * as z from "zod";
import type { Json } from "../../domain/result.ts";
import type { Answer } from "./answer.ts";
import { readBody, readQuery, type SimulatorRequest } from "./request.ts";
import type { World } from "../model/world.ts";

/** One endpoint of the interface, as data. */
export type Route = {
  /** As in the watchdog's configuration (`wire.<name>`). */
  readonly name: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** `{…}` stands for one segment. All are served alike. */
  readonly paths: readonly string[];
  /** It changes the world; a toggle and a forced cancellation may need the key. */
  readonly writes?: "user" | "toggle" | "force";
  /** The answer of the fault `empty`. */
  readonly empty?: Json;
  /** Changes nothing itself: a change is the answer's effect. */
  readonly handle: (context: RouteContext) => Answer;
};

export type RouteContext = {
  readonly world: World;
  readonly request: SimulatorRequest;
  /** The path's variable segments, decoded, in order. */
  readonly args: readonly string[];
};

/** An endpoint that reads; the fault `empty` answers with `empty`. */
export function read(
  name: string,
  method: Route["method"],
  paths: string | readonly string[],
  empty: Json,
  handle: Route["handle"],
): Route {
  return { name, method, paths: [paths].flat(), empty, handle };
}

export function write(
  name: string,
  method: Route["method"],
  paths: string | readonly string[],
  writes: NonNullable<Route["writes"]>,
  handle: Route["handle"],
): Route {
  return { name, method, paths: [paths].flat(), writes, handle };
}

type Read = typeof readBody;

/** Handles a request whose body, or query, fits a shape, and refuses any other. */
const reading =
  (readShape: Read) =>
  <Shape extends z.ZodType>(
    shape: Shape,
    handle: (given: z.output<Shape>, context: RouteContext) => Answer,
  ): Route["handle"] =>
  (context) => {
    const given = readShape(context.request, shape);
    return given.ok ? handle(given.value, context) : given.problem;
  };

export const withBody = reading(readBody);
export const withQuery = reading(readQuery);

export type Match =
  | { readonly found: "route"; readonly route: Route; readonly args: readonly string[] }
  | { readonly found: "path"; readonly allowed: readonly string[] }
  | { readonly found: "nothing" }
  | { readonly found: "malformed" };

/** The segments of a path, decoded; undefined if its percent-encoding is broken. */
function decodePath(path: string): readonly string[] | undefined {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchPath(
  parts: readonly string[],
  segments: readonly string[],
): readonly string[] | undefined {
  if (parts.length !== segments.length) return undefined;
  const args: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    const segment = segments[index] ?? "";
    if (part.startsWith("{") && segment !== "") args.push(segment);
    else if (part !== segment) return undefined;
  }
  return args;
}

const templates = new Map<string, readonly string[]>();

/** Cached, as the paths are few, and each request is compared with them. */
function partsOf(template: string): readonly string[] {
  const parts = templates.get(template) ?? template.split("/").slice(1);
  templates.set(template, parts);
  return parts;
}

export function matchRoute(routes: readonly Route[], method: string, path: string): Match {
  const segments = decodePath(path);
  if (segments === undefined) return { found: "malformed" };
  const allowed: string[] = [];
  for (const route of routes) {
    for (const template of route.paths) {
      const args = matchPath(partsOf(template), segments);
      if (args === undefined) continue;
      if (route.method === method) return { found: "route", route, args };
      allowed.push(route.method);
    }
  }
  return allowed.length > 0 ? { found: "path", allowed } : { found: "nothing" };
}
