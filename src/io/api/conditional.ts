import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip as gzipCallback } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import { takesGzip } from "../metrics/negotiate.ts";

const gzip = promisify(gzipCallback);

/** Compressing smaller answers is not worth it. */
const LEAST_GZIPPED_BYTES = 1_400;
const GZIP = { level: constants.Z_BEST_SPEED };

/** Each answer says of which instant it is, at its beginning; that alone makes it no other answer. */
const INSTANT = /"at":"[^"]{1,40}"/;
const BEGINNING = 200;

/**
 * Reads in JSON get an entity tag, by which a caller is told that nothing has changed (304), and are compressed off
 * the event loop, if they are large and the caller takes that.
 */
export const conditional: MiddlewareHandler = async (context, next) => {
  await next();
  const { method } = context.req;
  const { res } = context;
  const isJson = res.headers.get("content-type")?.startsWith("application/json") === true;
  if ((method !== "GET" && method !== "HEAD") || res.status !== 200 || !isJson) return;
  const text = await res.text();
  const etag = tagOf(text);
  const headers = new Headers(res.headers);
  headers.set("etag", etag);
  headers.set("cache-control", "no-cache");
  headers.set("vary", "Accept-Encoding");
  // Set to undefined first: the headers of the one before would be merged into the next.
  context.res = undefined;
  if (asksFor(context.req.header("if-none-match"), etag)) {
    headers.delete("content-type");
    context.res = new Response(null, { status: 304, headers });
    return;
  }
  const plain = Buffer.from(text);
  const isGzipped =
    plain.length >= LEAST_GZIPPED_BYTES && takesGzip(context.req.header("accept-encoding"));
  if (isGzipped) headers.set("content-encoding", "gzip");
  const body = isGzipped ? await gzip(plain, GZIP) : plain;
  headers.set("content-length", String(body.length));
  context.res = new Response(new Uint8Array(body), { status: 200, headers });
};

/** Weak, as answers that differ in their instant alone have the same. */
function tagOf(text: string): string {
  const rest = text.slice(0, BEGINNING).replace(INSTANT, "");
  const hash = createHash("sha256").update(rest).update(text.slice(BEGINNING));
  return `W/"${hash.digest("base64url").slice(0, 22)}"`;
}

/** By the weak comparison of RFC 9110: only what is in the quotes counts. */
function asksFor(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const own = etag.slice("W/".length);
  return header
    .split(",")
    .map((one) => one.trim().replace(/^W\//, ""))
    .some((one) => one === own || one === "*");
}
