import type { OpenAPIHono } from "@hono/zod-openapi";
import { formatFor, takesGzip } from "../metrics/negotiate.ts";
import { CONTENT_TYPES, type Bytes } from "../metrics/text-format.ts";
import { gzipped } from "./gzip.ts";
import type { ServerSource } from "./server-source.ts";

/** `GET /metrics`, in the format and the encoding that the scraper asks for. */
export function addMetrics(app: OpenAPIHono, source: Pick<ServerSource, "metrics">): void {
  const zipped = new WeakMap<Bytes, ReturnType<typeof gzipped>>();
  // Scrapers that share a page share its compressed form, too.
  const compress = (page: Bytes): ReturnType<typeof gzipped> => {
    const made = zipped.get(page) ?? gzipped(page);
    zipped.set(page, made);
    return made;
  };
  app.get("/metrics", async (context) => {
    const format = formatFor(context.req.header("accept"));
    const page = await source.metrics(format);
    const packed = takesGzip(context.req.header("accept-encoding"))
      ? await compress(page)
      : undefined;
    const body = packed ?? page;
    return context.body(body, 200, {
      "content-type": CONTENT_TYPES[format],
      "content-length": String(body.length),
      vary: "Accept, Accept-Encoding",
      ...(packed === undefined ? {} : { "content-encoding": "gzip" }),
    });
  });
}
