import type { HttpMethod, Purpose } from "../domain/http.ts";
import type { DoubtReason } from "../domain/observation.ts";
import type { Json, Result } from "../domain/result.ts";
import { fail, succeed } from "../domain/result.ts";
import { DEFAULT_API_PREFIX, type EndpointDefinition } from "./endpoints/definition.ts";
import type { EndpointName } from "./endpoints/index.ts";
import { ENDPOINT_NAMES, endpoints } from "./endpoints/index.ts";
import type { InstantUnit } from "./decoding/decode.ts";
import { isMethodName, isMethodWord, methodsAllowed, pathProblem } from "./authority.ts";
import { forbiddenCall } from "./forbidden.ts";
import { mapSyntaxProblem } from "./map-syntax.ts";
import type { PathSegment } from "./path-template.ts";
import { argumentsFor, textsOf, type NamedTexts } from "./arguments.ts";
import { argsOfText, hasControlCharacter, parsePathTemplate } from "./path-template.ts";

/** What a setting `wire.<endpoint>` may say. `null` in `query` takes a default key away. */
export type EndpointOverride = {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly query?: Readonly<Record<string, string | null>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Json | undefined;
  /** Statuses that count as a success, of 200 to 299; by default all of these. */
  readonly success?: readonly number[] | undefined;
  /** JSONata: turns a deployment's body into our default shape. Reads only. */
  readonly map?: string | undefined;
  /** What a reply may say without meaning that it is a part or contradicts another. Reads only. */
  readonly ignore?: readonly DoubtReason[] | undefined;
};

/** What the settings of an aggregator say of all endpoints at once. */
type WireForm = {
  /** Instead of `/api/v1` in all default paths. */
  readonly apiPrefix: string;
  readonly instants: InstantUnit;
};

const DEFAULT_FORM: WireForm = { apiPrefix: DEFAULT_API_PREFIX, instants: "milliseconds" };

export type WireOverrides = Readonly<Record<string, EndpointOverride | undefined>>;

/** An endpoint with its settings applied, checked, and ready to build requests from. */
export type WireEndpoint = {
  readonly name: EndpointName;
  readonly purpose: Purpose;
  readonly method: HttpMethod;
  readonly path: string;
  readonly segments: readonly PathSegment[];
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
  readonly args: readonly string[];
  readonly optionalArgs: readonly string[];
  /** Undefined: any of 200 to 299. */
  readonly success: readonly number[] | undefined;
  readonly map: string | undefined;
  readonly ignore: readonly DoubtReason[];
  readonly instants: InstantUnit;
};

export type WireProfile = Readonly<Record<EndpointName, WireEndpoint>>;

/** `path` leads to the setting, from `wire` on: `["disabled", "map"]`. */
type WireProblem = {
  readonly path: readonly string[];
  readonly message: string;
  readonly hint: string;
};

/** Headers that a setting may not give: credentials, framing, and what takes another path or client than sent. */
const REFUSED_HEADERS =
  /^(authorization|cookie|connection|content-length|transfer-encoding|upgrade|te|expect|proxy-.*|.*(?:host|forwarded|url|uri(?!ty)|path|rewrite).*)$/i;

/**
 * Applies the settings to the defaults, and checks the whole. All problems come back at once. Without
 * problems, no endpoint of the profile can be a call of the forbidden list.
 */
export function compileProfile(
  overrides: WireOverrides,
  form: WireForm = DEFAULT_FORM,
): Result<WireProfile, readonly WireProblem[]> {
  const problems: WireProblem[] = Object.keys(overrides)
    .filter((name) => !Object.hasOwn(endpoints, name))
    .map((name) => ({
      path: [name],
      message: `there is no endpoint "${name}"`,
      hint: `the endpoints are ${ENDPOINT_NAMES.join(", ")}`,
    }));
  const compiled = ENDPOINT_NAMES.map((name): [EndpointName, WireEndpoint | undefined] => {
    const override = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
    const result = compileEndpoint(name, override ?? {}, form);
    if (result.ok) return [name, result.value];
    problems.push(...result.problem);
    return [name, undefined];
  });
  if (problems.length > 0) return fail(problems);
  return succeed(Object.fromEntries(compiled) as WireProfile);
}

function compileEndpoint(
  name: EndpointName,
  override: EndpointOverride,
  { apiPrefix, instants }: WireForm,
): Result<WireEndpoint, readonly WireProblem[]> {
  const defaults: EndpointDefinition = endpoints[name];
  const path = override.path ?? defaults.path.replace(DEFAULT_API_PREFIX, apiPrefix);
  const method = (override.method?.toUpperCase() ?? defaults.method) as HttpMethod;
  const moved = argumentsFor(method, defaults);
  const segments = parsePathTemplate(path);
  const endpoint: WireEndpoint = {
    name,
    purpose: defaults.purpose,
    method,
    path,
    segments: segments.ok ? segments.value : [],
    query: mergeQuery(moved.query, override.query ?? {}),
    headers: override.headers ?? {},
    body: override.body === undefined ? moved.body : override.body,
    args: defaults.args,
    optionalArgs: defaults.optionalArgs ?? [],
    success: override.success,
    map: override.map,
    ignore: [...new Set([...(defaults.ignore ?? []), ...(override.ignore ?? [])])],
    instants,
  };
  const problems = [
    ...(segments.ok ? [] : [problem(name, "path", segments.problem, "a path is /like/{arg}")]),
    ...methodProblems(endpoint),
    ...argProblems(endpoint),
    ...safetyProblems(endpoint),
    ...shapeProblems(endpoint),
  ];
  return problems.length === 0 ? succeed(endpoint) : fail(problems);
}

function problem(name: string, setting: string, message: string, hint: string): WireProblem {
  return { path: [name, setting], message, hint };
}

function mergeQuery(
  defaults: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const merged = Object.entries({ ...defaults, ...extra });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

function methodProblems(endpoint: WireEndpoint): readonly WireProblem[] {
  const allowed = methodsAllowed(endpoint.name);
  if (!allowed.includes(endpoint.method)) {
    const hint = `the method is ${allowed.join(" or ")}`;
    return [problem(endpoint.name, "method", `${endpoint.method} is not allowed here`, hint)];
  }
  if (endpoint.method === "GET" && endpoint.body !== undefined)
    return [problem(endpoint.name, "body", "a GET has no body", "give the method POST as well")];
  return [];
}

function argProblems(endpoint: WireEndpoint): readonly WireProblem[] {
  const used = {
    path: endpoint.segments.flatMap((segment) => ("arg" in segment ? [segment.arg] : [])),
    query: Object.values(endpoint.query).flatMap(argsOfText),
    body: textsOf(endpoint.body).flatMap(([, text]) => argsOfText(text)),
  };
  const known = [...endpoint.args, ...endpoint.optionalArgs];
  const hint = known.length === 0 ? "it has no arguments" : `its arguments: ${known.join(", ")}`;
  const problems = Object.entries(used).flatMap(([setting, names]) =>
    names
      .filter((arg) => !known.includes(arg))
      .map((arg) => problem(endpoint.name, setting, `there is no argument {${arg}}`, hint)),
  );
  for (const arg of used.path.filter((arg) => endpoint.optionalArgs.includes(arg)))
    problems.push(
      problem(endpoint.name, "path", `{${arg}} is optional and cannot be in the path`, hint),
    );
  if (endpoint.purpose === "read") return problems;
  // An action that does not name its object would act on something else, or on everything.
  const everywhere = new Set(Object.values(used).flat());
  for (const arg of endpoint.args.filter((arg) => !everywhere.has(arg)))
    problems.push(
      problem(endpoint.name, "path", `{${arg}} is used nowhere`, "an action names its object"),
    );
  return problems;
}

function safetyProblems(endpoint: WireEndpoint): readonly WireProblem[] {
  const { name, method, path } = endpoint;
  const problems: WireProblem[] = [];
  const forbidden = forbiddenCall(method, path);
  const isAllowed = methodsAllowed(name).includes(method);
  const misplaced = isAllowed ? pathProblem(name, method, endpoint.segments) : undefined;
  if (forbidden !== undefined || misplaced !== undefined)
    problems.push(
      problem(
        name,
        "path",
        forbidden === undefined
          ? `${path} ${misplaced}`
          : `${method} ${path} ${forbidden.means}, which aggwatch never does`,
        `its path ends as that of the interface does: ${endpoints[name].path}`,
      ),
    );
  for (const [setting, values] of Object.entries(namedTexts(endpoint)))
    for (const [key, value] of values)
      if (isMethodName(key) || isMethodWord(value))
        problems.push(problem(name, setting, `"${key}" may change the method`, "leave it out"));
  for (const [key, value] of Object.entries(endpoint.headers)) {
    if (REFUSED_HEADERS.test(key))
      problems.push(
        problem(name, "headers", `the header "${key}" is not a setting`, "credentials: `auth`"),
      );
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(key) || hasControlCharacter(value))
      problems.push(problem(name, "headers", "not a header that can be sent", "use plain text"));
  }
  return problems;
}

/** The names and texts that a setting puts into a request, other than the path. */
function namedTexts({ query, headers, body }: WireEndpoint): Readonly<Record<string, NamedTexts>> {
  return { query: Object.entries(query), headers: Object.entries(headers), body: textsOf(body) };
}

function shapeProblems(endpoint: WireEndpoint): readonly WireProblem[] {
  const { name, success, map, ignore } = endpoint;
  const problems: WireProblem[] = [];
  if (ignore.length > 0 && endpoint.purpose === "act")
    problems.push(problem(name, "ignore", "the body of an action is not read", "leave it out"));
  if (success !== undefined) {
    const isSuccess = (status: number) => Number.isInteger(status) && status >= 200 && status < 300;
    if (success.length === 0 || !success.every(isSuccess))
      problems.push(
        problem(name, "success", "a success is one or more of 200 to 299", "for example [200]"),
      );
  }
  if (map === undefined) return problems;
  if (endpoint.purpose === "act")
    problems.push(problem(name, "map", "the body of an action is not read", "leave it out"));
  const syntax = mapSyntaxProblem(map);
  if (syntax !== undefined)
    problems.push(problem(name, "map", syntax, "see https://docs.jsonata.org"));
  return problems;
}
