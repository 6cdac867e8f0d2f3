import type { Failure, HttpReply } from "../../domain/http.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { HOUR } from "../../domain/time.ts";
import { parseJsonBody } from "./json-body.ts";

/** Whether a status is a success, by the profile: some of 200 to 299, by default all of these. */
export function isSuccess(status: number, success: readonly number[] | undefined): boolean {
  return success === undefined ? status >= 200 && status < 300 : success.includes(status);
}

/**
 * Makes a failure of a reply whose status is not a success. The server's text is redacted before it is cut, because
 * half a credential could not be found any more.
 */
export function failureOfReply(
  reply: HttpReply,
  now: Instant,
  redact: (text: string) => string,
): Failure {
  const { status } = reply;
  if (status >= 300 && status < 400) {
    const target = redact(redirectTarget(reply)).slice(0, 200);
    const message = `status ${status} points elsewhere${target === "" ? "" : ` (${target})`}`;
    return { reason: "redirect", status, message };
  }
  const reason = errorReason(reply.body, redact);
  const retryAfterMs = parseRetryAfter(reply.headers["retry-after"], now);
  return {
    reason: "status",
    status,
    message: `status ${status}${explanation(status, reason)}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** A 404 without a reason more often comes from a wrong address than from an aggregator. */
function explanation(status: number, reason: string | undefined): string {
  if (reason !== undefined) return `: ${reason}`;
  return status === 404 ? ": it knows no such thing, or base_url is wrong" : "";
}

/** Where a redirect points, without query and credentials; one to the same host, as a path alone. */
function redirectTarget(reply: HttpReply): string {
  const location = reply.headers["location"] ?? "";
  const url = URL.parse(location);
  if (url !== null) return `${url.origin}${url.pathname}`;
  const own = location.startsWith("/") ? URL.parse(location, "http://host.invalid") : null;
  if (own === null) return "";
  return own.host === "host.invalid" ? own.pathname : `//${own.host}${own.pathname}`;
}

/**
 * The reason in an error body, if it has the shape `{"error": {"code", "reason"}, "timestamp"}` that a
 * public client shows. Control characters are taken out, and it is cut to 200 characters.
 */
export function errorReason(
  body: string,
  redact: (text: string) => string = (text) => text,
): string | undefined {
  if (body.length > 100_000) return undefined;
  const parsed = parseJsonBody(body);
  if (!parsed.ok) return undefined;
  const error = fieldOf(parsed.value, "error");
  const reason = fieldOf(error, "reason");
  if (typeof reason !== "string" || reason.trim() === "") return undefined;
  const code = fieldOf(error, "code");
  const shown = redact(reason)
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, 200);
  return typeof code === "number" ? `${shown} (code ${code})` : shown;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/**
 * Reads `Retry-After`: seconds, to which some servers give a fraction, or a date. More than an hour counts as an hour.
 */
export function parseRetryAfter(value: string | undefined, now: Instant): Millis | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const isLength = /^\d+(?:\.\d+)?$/.test(text);
  const waitMs = isLength ? Math.ceil(Number(text) * 1_000) : Date.parse(text) - now;
  return Number.isNaN(waitMs) ? undefined : Math.min(HOUR, Math.max(0, waitMs));
}
