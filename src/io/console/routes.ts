import type { OpenAPIHono } from "@hono/zod-openapi";
import { secureHeaders } from "hono/secure-headers";
import { NO_CONTENT_SOURCES } from "../api/content-policy.ts";
import { takesGzip } from "../metrics/negotiate.ts";
import { createConsoleFiles } from "./files.ts";
import { indexPageOf } from "./index-page.ts";

const CONSOLE_PATH = /^\/console\/([0-9a-f]+)\/(.+)$/;

/** Whether a path is the console's page or one of its files, which do not depend on the state. */
export function isOfConsole(path: string): boolean {
  return path === "/" || path.startsWith("/console/");
}

/** The console: its page at `/`, and its files under an address that changes with their content. */
export function addConsole(app: OpenAPIHono): void {
  const files = createConsoleFiles();
  app.get("/", async (context) => {
    const { html, scriptSources } = indexPageOf(await files());
    const headers = secureHeaders({
      contentSecurityPolicy: {
        ...NO_CONTENT_SOURCES,
        scriptSrc: [...scriptSources],
        styleSrc: ["'self'"],
        connectSrc: ["'self'"],
        // The icon of the tab is drawn by the console.
        imgSrc: ["data:"],
      },
    });
    await headers(context, async () => {
      context.res = context.html(html, 200, { "cache-control": "no-cache" });
    });
    return context.res;
  });
  app.get("/console/*", async (context, next) => {
    const { hash, files: all } = await files();
    const [, asked, path = ""] = CONSOLE_PATH.exec(context.req.path) ?? [];
    const file = asked === hash ? all.get(path) : undefined;
    if (file === undefined) return next();
    const isZipped = takesGzip(context.req.header("accept-encoding"));
    return context.body(isZipped ? await file.gzipped() : file.body, 200, {
      "content-type": file.type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    });
  });
}
