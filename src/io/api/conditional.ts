import { createHash } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { haveSameItems } from "../../domain/values/same-items.ts";
import { takesGzip } from "../metrics/negotiate.ts";
import { gzipped } from "./gzip.ts";

/**
 * The instant and the span of an answer, at its beginning. Answers that differ only in them have the same entity tag.
 * The instants of its rows count.
 */
const INSTANTS = /^(\{(?:"version":"[^"]*",)?)(?:"(?:at|since|from|until)":"[^"]*",)+/;

/** Paths that every open console reads again and again, often at the same moment. */
const SHARED: ReadonlySet<string> = new Set(["/api/v1/overview", "/api/v1/pollers"]);
const MOST_SHARED = 20;

/** An answer as it is sent. */
type Made = {
  readonly etag: string;
  readonly headers: Headers;
  readonly plain: Uint8Array<ArrayBuffer>;
  /** Compressed once, for the first request that wants it; undefined if it is too small. */
  readonly zipped: () => ReturnType<typeof gzipped>;
};

/**
 * Gives answers in JSON an entity tag, so that a caller learns that nothing has changed (304), and compresses large
 * ones if the caller takes that, off the event loop if they are very large. An answer on a shared path is made, written
 * and compressed once for all requests for which each value of `revision` is the same, including those that come while
 * it is made.
 */
export function conditional(revision: () => readonly unknown[]): MiddlewareHandler {
  const shared = new Map<string, Promise<Made | undefined>>();
  let sharedAt: readonly unknown[] = [];
  return async (context, next) => {
    const { method, path, url } = context.req;
    if (method !== "GET" && method !== "HEAD") {
      await next();
      return shared.clear();
    }
    const now = revision();
    if (!haveSameItems(now, sharedAt) || shared.size >= MOST_SHARED) shared.clear();
    sharedAt = now;
    const isShared = method === "GET" && SHARED.has(path);
    const known = isShared ? shared.get(url) : undefined;
    // If the shared answer fails, this request makes its own, and fails by itself. Do not await if none is being made:
    // all waiting requests would pass this line before the first has begun.
    let made = known === undefined ? undefined : await known.catch(() => undefined);
    if (made === undefined) {
      const making = next().then(() => madeOf(context.res));
      if (isShared) shared.set(url, making);
      made = await making.catch((error: unknown) => {
        if (shared.get(url) === making) shared.delete(url);
        throw error;
      });
      const isOld = made === undefined || !haveSameItems(now, revision());
      if (isOld && shared.get(url) === making) shared.delete(url);
    }
    if (made === undefined) return undefined;
    // Undefined first: Hono would merge the headers of the response before into the next.
    context.res = undefined;
    context.res = await replyWith(made, (name) => context.req.header(name));
    return undefined;
  };
}

async function madeOf(answer: Response): Promise<Made | undefined> {
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  if (answer.status !== 200 || !isJson) return undefined;
  const { etag, plain } = await readOf(answer);
  const headers = new Headers(answer.headers);
  headers.set("etag", etag);
  headers.set("cache-control", "no-cache");
  headers.set("vary", "Accept-Encoding");
  let zipped: ReturnType<typeof gzipped> | undefined;
  return { etag, headers, plain, zipped: () => (zipped ??= gzipped(plain)) };
}

async function replyWith(
  { etag, headers: own, plain, zipped }: Made,
  asked: (name: string) => string | undefined,
): Promise<Response> {
  const headers = new Headers(own);
  if (asksFor(asked("if-none-match"), etag)) {
    headers.delete("content-type");
    return new Response(null, { status: 304, headers });
  }
  const body = (takesGzip(asked("accept-encoding")) ? await zipped() : undefined) ?? plain;
  if (body !== plain) headers.set("content-encoding", "gzip");
  headers.set("content-length", String(body.length));
  return new Response(body, { status: 200, headers });
}

/** More than enough for what an answer begins with. */
const HEAD_BYTES = 1_000;

/** The body, as it comes: a long one is written and read in pieces. */
async function readOf({ body }: Response): Promise<Pick<Made, "etag" | "plain">> {
  const hash = createHash("sha256");
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) {
    if (pieces.length === 0) {
      // As Latin-1, each byte is one character.
      const head = Buffer.from(piece.subarray(0, HEAD_BYTES)).toString("latin1");
      hash.update(head.replace(INSTANTS, "$1"), "latin1").update(piece.subarray(HEAD_BYTES));
    } else hash.update(piece);
    pieces.push(piece);
  }
  // Weak, because answers that differ only in their instant or span have the same tag.
  const etag = `W/"${hash.digest("base64url").slice(0, 22)}"`;
  return { etag, plain: Buffer.concat(pieces) };
}

/** By the weak comparison of RFC 9110: only the part in quotes counts. */
function asksFor(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const own = etag.slice("W/".length);
  return header
    .split(",")
    .map((one) => one.trim().replace(/^W\//, ""))
    .some((one) => one === own || one === "*");
}
