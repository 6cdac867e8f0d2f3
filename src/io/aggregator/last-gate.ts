import { basePrefix } from "../../aggregator/base-url.ts";
import {
  ACTING_ENDS,
  ACTING_WORDS,
  CHANGING_CALLS,
  isMethodName,
  isMethodWord,
} from "../../aggregator/authority.ts";
import { FORBIDDEN_CALLS } from "../../aggregator/forbidden.ts";
import { textsOf } from "../../aggregator/arguments.ts";
import type { HttpRequest, Purpose } from "../../domain/http.ts";

/**
 * The last check of a request before it leaves. On purpose, it reads the same rules as the wire profile
 * a second time, by other means and on the final URL: whatever a mistake elsewhere builds, a
 * placement, a cancel or a toggle's DELETE does not leave, nor a request to another place, nor a read
 * that could act.
 */
const FORBIDDEN_ENDS = FORBIDDEN_CALLS.map(({ method, tail }) => ({
  method,
  end: new RegExp(`(?:^|/)${tail.map((part) => (part === "*" ? "[^/]+" : part)).join("/")}/*$`),
}));

const ACTING_PATH = new RegExp(
  `/(?:${ACTING_WORDS.map((words) => words.join("/")).join("|")})(?:/|$)`,
);

/** The whole paths of the calls that may leave with a method other than GET. */
const CHANGING_PATHS = CHANGING_CALLS.map(({ purpose, method, words, most }) => ({
  purpose,
  method,
  path: new RegExp(
    `^(?:/(?!(?:${ACTING_ENDS.join("|")})(?:/|$))[^/]+)*/${words.join("/").toLowerCase()}(?:/[^/]+){0,${most}}/?$`,
  ),
}));

/** The parts of a request that the gate reads: method, final URL, and what could change the meaning of either. */
export type Leaving = Pick<HttpRequest, "method" | "headers" | "body"> & { readonly url: URL };

/** Says why a request must not leave, or undefined if it may. */
export function gateProblem(leaving: Leaving, base: URL, purpose: Purpose): string | undefined {
  const { method, url } = leaving;
  if (
    method === "GET"
      ? purpose === "act"
      : !CHANGING_CALLS.some((call) => call.method === method && call.purpose === purpose)
  )
    return `${method} is not a method for this purpose`;
  if (url.origin !== base.origin) return "it would go to another origin than the base URL's";
  if (url.username !== "" || url.password !== "") return "it would carry a user name or password";
  if (!url.pathname.startsWith(`${basePrefix(base)}/`)) return "it would leave the base URL's path";
  const spellings = decodings(url.pathname);
  if (spellings === undefined) return "its path is encoded in too many layers";
  for (const spelling of spellings) {
    if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(spelling)) return "its path holds a dot segment";
    const hit = FORBIDDEN_ENDS.find(({ method: bad, end }) => bad === method && end.test(spelling));
    if (hit !== undefined) return `${method} on this path is a call that aggwatch never makes`;
    if (method === "GET" && ACTING_PATH.test(spelling)) return "its path is that of an action";
  }
  return changingProblem(method, spellings[0] ?? "", purpose) ?? overrideProblem(leaving);
}

/** A request that can change something must be on a closed list. The arguments in its path are still encoded. */
function changingProblem(method: string, path: string, purpose: Purpose): string | undefined {
  if (method === "GET") return undefined;
  const isListed = CHANGING_PATHS.some(
    (call) => call.purpose === purpose && call.method === method && call.path.test(path),
  );
  return isListed ? undefined : `${method} on this path is not a call that aggwatch makes`;
}

/** Many servers take the method from a field, a parameter or a header, if it is there. */
function overrideProblem({ url, headers, body }: Leaving): string | undefined {
  const texts = [...url.searchParams, ...Object.entries(headers), ...textsOf(body)];
  const found = texts.find(([name, value]) => isMethodName(name) || isMethodWord(value));
  return found === undefined ? undefined : `"${found[0].slice(0, 40)}" may change its method`;
}

/** The path as it is, and as it reads after each further decoding. */
function decodings(pathname: string): readonly string[] | undefined {
  const found: string[] = [];
  let current = pathname;
  for (let layer = 0; layer < 6; layer += 1) {
    found.push(normalise(current));
    let decoded: string;
    try {
      decoded = decodeURIComponent(current);
    } catch {
      return found;
    }
    if (decoded === current) return found;
    current = decoded;
  }
  return undefined;
}

function normalise(path: string): string {
  return path
    .toLowerCase()
    .replaceAll("\\", "/")
    .replace(/;[^/]*/g, "")
    .replace(/[^\S/]+(?=\/|$)/g, "")
    .replace(/\/{2,}/g, "/");
}
