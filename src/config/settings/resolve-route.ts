import type { RouteText } from "../../schema/route.ts";
import { pathText, type YamlPath } from "../yaml/yaml-source.ts";
import { readSecret, reportMissing } from "./resolve-credential.ts";
import { isInternalHost, OR_INTERNAL } from "../../schema/internal-host.ts";
import { resolveTls, type Tls } from "./resolve-tls.ts";
import type { Resolving } from "./resolving.ts";
import type { Secret } from "./secret.ts";

/** How a server is reached. */
export type Route = {
  readonly tls?: Tls;
  readonly proxy?: Proxy;
};

/** A proxy; every request goes through a tunnel that it opens. */
type Proxy = {
  readonly host: string;
  readonly port: number;
  readonly credential?: { readonly username: string; readonly password: Secret };
};

/** Who is reached by a route. */
type Reached = {
  /** Undefined if it has a problem, which is reported elsewhere. */
  readonly url: string | undefined;
  /** The key of the URL. */
  readonly at: YamlPath;
  /** Requests carry a secret, or the URL is one. */
  readonly isSecret: boolean;
};

/** Reads the files of a route, and reports what is wrong with them or with the route as a whole. */
export function resolveRoute(
  work: Resolving,
  text: RouteText,
  path: YamlPath,
  { url = "", at, isSecret }: Reached,
): Route {
  const parsed = URL.parse(url);
  const isPlain = parsed?.protocol === "http:";
  if (isPlain && isSecret && text.proxy === undefined && !isInternalHost(parsed.hostname))
    work.warn({
      id: "lint/secret-in-clear",
      path: at,
      message: `"${pathText(at)}" is an http URL, so secrets are sent to it in the clear`,
      hint: `give an https URL, ${OR_INTERNAL}`,
    });
  const tls = resolveTls(work, text.tls, [...path, "tls"]);
  if (tls !== undefined && isPlain)
    work.report({
      id: "config/unused-key",
      path: [...path, "tls"],
      at: "key",
      message: '"tls" has no meaning for an http URL',
      hint: "give an https URL, or take tls out",
    });
  if (text.proxy !== undefined && isPlain && isSecret)
    work.report({
      id: "config/contradiction",
      path: [...path, "proxy"],
      at: "key",
      message: "the proxy could read the secrets of requests to an http URL",
      hint: "give an https URL, or take proxy out",
    });
  const proxy = text.proxy && resolveProxy(work, text.proxy, [...path, "proxy"]);
  return { ...(tls === undefined ? {} : { tls }), ...(proxy === undefined ? {} : { proxy }) };
}

function resolveProxy(
  work: Resolving,
  text: NonNullable<RouteText["proxy"]>,
  path: YamlPath,
): Proxy {
  const url = new URL(text.url);
  const { username } = text;
  const hasPassword = text.password_file !== undefined || text.password_env !== undefined;
  const address = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? 80 : Number(url.port),
  };
  if (username === undefined && hasPassword) reportMissing(work, path, "username", "password");
  if (username?.includes(":") === true)
    work.report({
      id: "config/bad-value",
      path: [...path, "username"],
      message: '"username" must not hold a colon',
    });
  if (username === undefined) return address;
  const password = readSecret(work, text, path, "password");
  return password === undefined ? address : { ...address, credential: { username, password } };
}
