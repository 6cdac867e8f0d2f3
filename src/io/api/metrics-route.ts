import { promisify } from "node:util";
import { constants, gzip as gzipCallback } from "node:zlib";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { formatFor, takesGzip } from "../metrics/negotiate.ts";
import { CONTENT_TYPES, type Bytes } from "../metrics/text-format.ts";
import type { ServerSource } from "./server-source.ts";

const gzip = promisify(gzipCallback);

/** Compressing smaller answers is not worth it. */
const LEAST_GZIPPED_BYTES = 1_400;

/** Metrics shrink to a fifteenth at the fastest level already; a better one costs more than it saves. */
const GZIP = { level: constants.Z_BEST_SPEED };

/** `GET /metrics`, in the format and the encoding that the scraper asks for. */
export function addMetrics(app: OpenAPIHono, source: Pick<ServerSource, "metrics">): void {
  const gzipped = new WeakMap<Bytes, Promise<Bytes>>();
  // Scrapers that share a page share its compressed form, too. It is compressed off the event loop.
  const compress = (page: Bytes): Promise<Bytes> => {
    const known = gzipped.get(page);
    if (known !== undefined) return known;
    const made = gzip(page, GZIP);
    gzipped.set(page, made);
    return made;
  };
  app.get("/metrics", async (context) => {
    const format = formatFor(context.req.header("accept"));
    const page = await source.metrics(format);
    const isSmall = page.length < LEAST_GZIPPED_BYTES;
    const isGzipped = !isSmall && takesGzip(context.req.header("accept-encoding"));
    const body = isGzipped ? await compress(page) : page;
    return context.body(body, 200, {
      "content-type": CONTENT_TYPES[format],
      "content-length": String(body.length),
      vary: "Accept, Accept-Encoding",
      ...(isGzipped ? { "content-encoding": "gzip" } : {}),
    });
  });
}
