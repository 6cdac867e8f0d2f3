import { checksum } from "../model/hash.ts";
import type { SimulatorReply } from "./reply.ts";
import type { SimulatorRequest } from "./request.ts";

/**
 * Adds an `ETag` to the 200 of a GET; or answers 304 instead, if the request's `If-None-Match` is that tag (RFC 9110,
 * section 13.1.2). The simulator gives one tag, so lists of tags are not read.
 */
export function withEtag(request: SimulatorRequest, reply: SimulatorReply): SimulatorReply {
  if (reply.outcome !== "answered" || reply.status !== 200 || request.method !== "GET")
    return reply;
  const etag = `"${checksum(reply.body)}"`;
  return request.headers["if-none-match"] === etag
    ? { ...reply, status: 304, headers: { etag }, body: "" }
    : { ...reply, headers: { ...reply.headers, etag } };
}
