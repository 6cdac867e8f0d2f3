import type { Failure, HttpRequest } from "../domain/http.ts";
import type { Json, Result } from "../domain/result.ts";
import { fail, succeed } from "../domain/result.ts";
import { isActing } from "./authority.ts";
import type { Args } from "./endpoints/definition.ts";
import type { EndpointName } from "./endpoints/index.ts";
import { forbiddenCall, plainSegments } from "./forbidden.ts";
import { encodeSegment } from "./path-template.ts";
import type { WireEndpoint, WireProfile } from "./profile.ts";

/**
 * Builds the one request that an endpoint of the profile and its arguments stand for. Arguments come
 * from the aggregator's own listings too, so they are taken for hostile: whatever they hold, the
 * request stays the profile's method on the profile's path.
 */
export function buildRequest(
  profile: WireProfile,
  name: EndpointName,
  args: Args,
): Result<HttpRequest, Failure> {
  const endpoint = profile[name];
  const refuse = (message: string): Result<HttpRequest, Failure> =>
    fail({ reason: "internal", endpoint: name, message: `${name} cannot be asked: ${message}` });
  const wrong = argumentProblem(endpoint, args);
  if (wrong !== undefined) return refuse(wrong);
  const parts: string[] = [];
  for (const segment of endpoint.segments) {
    if ("literal" in segment) parts.push(segment.literal);
    else {
      const encoded = encodeSegment(args[segment.arg] ?? "");
      if (!encoded.ok) return refuse(`the argument ${segment.arg} ${encoded.problem}`);
      parts.push(encoded.value);
    }
  }
  const path = `/${parts.join("/")}`;
  const forbidden = forbiddenCall(endpoint.method, path);
  if (forbidden !== undefined) return refuse(`${endpoint.method} ${path} ${forbidden.means}`);
  // An argument may be the word that makes it so: a pool of a factory called `toggle`.
  if (endpoint.purpose === "read" && isActing(plainSegments(path)))
    return refuse(`${path} is the path of an action`);
  const body = endpoint.body === undefined ? undefined : fillBody(endpoint.body, args);
  return succeed({
    method: endpoint.method,
    path,
    query: fillQuery(endpoint.query, args),
    headers: endpoint.headers,
    ...(body === undefined ? {} : { body }),
  });
}

function argumentProblem(endpoint: WireEndpoint, args: Args): string | undefined {
  const { args: needed, optionalArgs: optional } = endpoint;
  const unknown = Object.keys(args).find(
    (name) => !needed.includes(name) && !optional.includes(name),
  );
  if (unknown !== undefined) return `there is no argument ${unknown.slice(0, 40)}`;
  const absent = needed.find((name) => !Object.hasOwn(args, name) || args[name] === "");
  if (absent !== undefined) return `the argument ${absent} is empty`;
  const odd = Object.entries(args).find(([, value]) => !value.isWellFormed());
  return odd === undefined ? undefined : `the argument ${odd[0]} is not well-formed text`;
}

const ONE_ARG = /^\{([A-Za-z0-9]+)(:number)?\}$/;

/** Fills `{arg}`s in; undefined if an optional argument that the text needs is not given. */
function fillText(template: string, args: Args): string | number | undefined {
  const whole = ONE_ARG.exec(template);
  if (whole !== null) {
    const name = whole[1] ?? "";
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || whole[2] === undefined) return value;
    return Number.isFinite(Number(value)) && value.trim() !== "" ? Number(value) : value;
  }
  let isComplete = true;
  const filled = template.replace(/\{([A-Za-z0-9]+)\}/g, (_all, name: string) => {
    if (!Object.hasOwn(args, name)) isComplete = false;
    return args[name] ?? "";
  });
  return isComplete ? filled : undefined;
}

function fillQuery(query: Readonly<Record<string, string>>, args: Args): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([key, template]): [string, string][] => {
      const value = fillText(template, args);
      return value === undefined ? [] : [[key, String(value)]];
    }),
  );
}

function fillBody(template: Json, args: Args): Json | undefined {
  if (typeof template === "string") return fillText(template, args);
  if (typeof template !== "object" || template === null) return template;
  if (Array.isArray(template))
    return template.flatMap((item: Json) => {
      const value = fillBody(item, args);
      return value === undefined ? [] : [value];
    });
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, item]: [string, Json]): [string, Json][] => {
      const value = fillBody(item, args);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
