import type { OpenAPIHono } from "@hono/zod-openapi";
import { formatFor, takesGzip } from "../metrics/negotiate.ts";
import { CONTENT_TYPES } from "../metrics/text-format.ts";
import { LEAST_GZIPPED_BYTES } from "./gzip.ts";
import type { ServerSource } from "./server-source.ts";

/** `GET /metrics`, in the format and the encoding that the scraper asks for. */
export function addMetrics(app: OpenAPIHono, source: Pick<ServerSource, "metrics">): void {
  app.get("/metrics", async (context) => {
    const format = formatFor(context.req.header("accept"));
    const page = await source.metrics(format);
    const isSmall = page.length < LEAST_GZIPPED_BYTES;
    const isGzipped = !isSmall && takesGzip(context.req.header("accept-encoding"));
    const body = isGzipped ? await page.gzipped() : page.plain();
    return context.body(body, 200, {
      "content-type": CONTENT_TYPES[format],
      "content-length": String(body.length),
      vary: "Accept, Accept-Encoding",
      ...(isGzipped ? { "content-encoding": "gzip" } : {}),
    });
  });
}
