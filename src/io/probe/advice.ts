import type { ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { Failure } from "../../domain/http.ts";

/** The setting to change after a failure, in one line. */
export function adviceFor(endpoint: ReadEndpoint, failure: Failure, hasMap: boolean): string {
  const { reason, status = 0 } = failure;
  switch (reason) {
    case "mismatch":
      return hasMap
        ? `wire.${endpoint}.map: its result does not have the default shape`
        : `wire.${endpoint}.map turns this body into the default shape (docs/aggregator.md)`;
    case "malformed":
      return (
        adviceForBytes(failure.message) ??
        `base_url or wire.${endpoint}.path: the answer there is not JSON`
      );
    case "redirect":
      return "base_url: give the address that it points to, because redirects are not followed; if that is a log-in page, auth.read";
    case "timeout":
      return "timeouts, or base_url: nothing came in time";
    case "connect":
      return adviceForRoute(failure.message) ?? "base_url: nothing answers there";
    case "too_large":
      return "max_body_bytes: the answer is larger";
    case "status":
      return adviceForStatus(endpoint, status);
    case "cancelled":
    case "internal":
      return "none: no request was sent";
  }
}

/** What came is not HTTP, or not compressed as its head says. */
function adviceForBytes(message: string): string | undefined {
  if (/\((?:Z_|ERR_ENCODING)/.test(message))
    return "none: the body is not compressed as its Content-Encoding says, or is cut; the server, or a proxy before it, must say what it sends";
  return message.includes("(HPE_") ? "base_url: what answers there does not speak HTTP" : undefined;
}

/** A failure of TLS or of a proxy names the setting in its message. */
function adviceForRoute(message: string): string | undefined {
  const named = message.match(/\b(?:tls|proxy)\.\w+/g);
  if (named !== null) return `${named.join(", ")}: as the message says`;
  if (/^the connection broke \((?!E(?:HOST|NET)|ETIMEDOUT|EADDR)/.test(message))
    return "none: the connection was made, and broke before the whole answer came; look at the server, and at what is between";
  if (/\bENOTFOUND\b/.test(message)) return "base_url: no name server knows its host";
  if (/\bEAI_(?:AGAIN|FAIL)\b/.test(message))
    return "base_url: no name server gave the address of its host; is there one, and does it answer?";
  return /\bTLS\b/.test(message) ? "base_url: as the message says" : undefined;
}

/** No setting helps if the server itself fails. */
function adviceForStatus(endpoint: ReadEndpoint, status: number): string {
  if (status === 401 || status === 403)
    return "auth.read: the server wants a credential, or another one";
  if (status === 404) return `wire.${endpoint}.path, or base_url: nothing is there`;
  if (status === 405) return `wire.${endpoint}.method: the server takes another method`;
  const isOrder = endpoint === "order" || endpoint === "futuresOrder";
  if (status === 400 && isOrder)
    return `watch.orders: an owner for each, or wire.${endpoint}.query: the server takes other arguments`;
  if (status === 400 || status === 422)
    return `wire.${endpoint}.query or .body: the server takes other arguments`;
  if (status === 429) return "rate: the server takes fewer requests a second";
  return "none: the status says that the server failed; probe again later";
}
