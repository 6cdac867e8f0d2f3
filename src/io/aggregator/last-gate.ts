import { basePrefix } from "../../aggregator/base-url.ts";
import { FORBIDDEN_CALLS } from "../../aggregator/forbidden.ts";
import type { Purpose } from "../../domain/http.ts";

/**
 * The last check of a request before it leaves. On purpose, it reads the same rules as the wire profile
 * a second time, by other means and on the final URL: whatever a mistake elsewhere builds, a
 * placement, a cancel or a toggle's DELETE does not leave, nor a request to another place.
 */
const METHODS: Readonly<Record<Purpose, readonly string[]>> = {
  read: ["GET", "POST"],
  act: ["POST", "DELETE"],
};

const FORBIDDEN_ENDS = FORBIDDEN_CALLS.map(({ method, tail }) => ({
  method,
  end: new RegExp(`(?:^|/)${tail.map((part) => (part === "*" ? "[^/]+" : part)).join("/")}/*$`),
}));

/** Says why a request must not leave, or undefined where it may. */
export function gateProblem(
  method: string,
  url: URL,
  base: URL,
  purpose: Purpose,
): string | undefined {
  if (!METHODS[purpose].includes(method)) return `${method} is not a method for this purpose`;
  if (url.origin !== base.origin) return "it would go to another origin than the base URL's";
  if (url.username !== "" || url.password !== "") return "it would carry a user name or password";
  if (!url.pathname.startsWith(`${basePrefix(base)}/`)) return "it would leave the base URL's path";
  const spellings = decodings(url.pathname);
  if (spellings === undefined) return "its path is encoded in too many layers";
  for (const spelling of spellings) {
    if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(spelling)) return "its path holds a dot segment";
    const hit = FORBIDDEN_ENDS.find(({ method: bad, end }) => bad === method && end.test(spelling));
    if (hit !== undefined) return `${method} on this path is a call that aggwatch never makes`;
  }
  return undefined;
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
