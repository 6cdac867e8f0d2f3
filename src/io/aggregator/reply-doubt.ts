import { doubtOfHeaders } from "../../aggregator/decoding/partial-marks.ts";
import type { WireEndpoint } from "../../aggregator/profile.ts";
import type { HttpReply } from "../../domain/http.ts";
import type { Doubt } from "../../domain/observation.ts";
import type { CachedBody } from "./cache.ts";

/** Doubts about a reply, except for those that the settings ignore (`wire.<endpoint>.ignore`). */

type Ignore = WireEndpoint["ignore"];

/** The doubt that status and headers raise about a reply. A 304 stands for a body that came whole. */
export function doubtOfReply(
  reply: HttpReply,
  entries: number | undefined,
  ignore: Ignore,
): Doubt | undefined {
  const doubt = reply.status === 304 ? undefined : doubtOfHeaders(reply, entries);
  return doubt === undefined || ignore.includes(doubt.reason) ? undefined : doubt;
}

/** Returns the same object if the doubt is the same: the same body is the same value. */
export function withDoubt(
  decoded: CachedBody["decoded"],
  doubt: Doubt | undefined,
  ignore: Ignore,
): CachedBody["decoded"] {
  const said = doubt === undefined || ignore.includes(doubt.reason) ? undefined : doubt;
  return said === decoded.doubt ? decoded : { ...decoded, doubt: said };
}
