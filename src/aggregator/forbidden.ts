import type { HttpMethod } from "../domain/http.ts";

/**
 * What must never be sent, whatever a setting says: placements, cancels, the lock order, and the
 * toggles' DELETE, which disables. This list is used to refuse, never to build a request.
 *
 * `tail` is the end of the path, in lower case; `*` is any one segment. Only the end is compared, as
 * a deployment may put the interface behind a path of its own.
 */
type ForbiddenCall = {
  readonly method: HttpMethod;
  readonly tail: readonly string[];
  readonly means: string;
};

export const FORBIDDEN_CALLS: readonly ForbiddenCall[] = [
  { method: "POST", tail: ["order"], means: "places a spot order" },
  { method: "POST", tail: ["order", "internal"], means: "places an internal order" },
  { method: "POST", tail: ["order", "futures"], means: "places a futures order" },
  { method: "DELETE", tail: ["order"], means: "cancels an order" },
  { method: "POST", tail: ["atomic-swap"], means: "submits a lock order" },
  { method: "DELETE", tail: ["toggle"], means: "disables an exchange or a pair" },
  { method: "DELETE", tail: ["toggle", "*"], means: "disables an exchange" },
  { method: "DELETE", tail: ["toggle", "*", "*"], means: "disables a pair" },
];

/** A path in which nothing has to be decoded, cut off or trimmed, as nearly always. */
const PLAIN_PATH = /^[\w./-]*$/;

/** Plain segments of a path: no empty ones, lower case, decoded until nothing is left to decode. */
export function plainSegments(path: string): readonly string[] {
  if (PLAIN_PATH.test(path)) return path.toLowerCase().split("/").filter(isSegment);
  return decodeFully(path)
    .toLowerCase()
    .split(/[/\\]+/)
    .map((segment) => (segment.split(";")[0] ?? "").trim())
    .filter(isSegment);
}

function isSegment(segment: string): boolean {
  return segment !== "";
}

/** The forbidden call that a method and path amount to, if any. An `{arg}` matches any segment. */
export function forbiddenCall(method: string, path: string): ForbiddenCall | undefined {
  const segments = plainSegments(path);
  const upperMethod = method.toUpperCase();
  return FORBIDDEN_CALLS.find((call) => {
    if (call.method !== upperMethod || segments.length < call.tail.length) return false;
    const from = segments.length - call.tail.length;
    return call.tail.every((wanted, index) => wanted === "*" || wanted === segments[from + index]);
  });
}

/** Undoes percent-encoding, also a repeated one, as a proxy on the way may. Never throws. */
function decodeFully(text: string): string {
  if (!text.includes("%")) return text;
  let current = text;
  for (let round = 0; round < 8; round += 1) {
    const next = current.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
      try {
        return decodeURIComponent(encoded);
      } catch {
        return encoded;
      }
    });
    if (next === current) break;
    current = next;
  }
  return current;
}
