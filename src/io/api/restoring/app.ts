import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { requireKnownHost, type Access } from "../access.ts";
import { NO_CONTENT_SOURCES } from "../content-policy.ts";

/** The source of the answers while a start reads the journal. */
export type RestoringSource = {
  readonly access: () => Access;
  /** The progress of reading, as part of a sentence. */
  readonly progress: () => string;
  /** Why the process should be restarted; undefined while it makes progress. */
  readonly unhealthy: () => string | undefined;
};

/** In seconds. */
const RETRY_AFTER = "2";

/** `/healthz` answers that the process is alive, everything else that it knows nothing yet. */
export function createRestoringApp({ access, progress, unhealthy }: RestoringSource): Hono {
  const app = new Hono();
  app.use(secureHeaders({ contentSecurityPolicy: NO_CONTENT_SOURCES }));
  app.use(requireKnownHost(access));
  app.get("/healthz", (context) => {
    const problem = unhealthy();
    return problem === undefined
      ? context.text(`ok\n${progress()}\n`)
      : context.text(`${problem}\n`, 503);
  });
  app.get("/readyz", (context) => {
    context.header("Retry-After", RETRY_AFTER);
    return context.text(`${progress()}\n`, 503);
  });
  app.all("*", (context) => {
    context.header("Retry-After", RETRY_AFTER);
    const error = `aggwatch is ${progress()}: until then it shows nothing, and nothing is polled or sent`;
    return /^\/(?:api|-|mcp)(?:\/|$)/.test(context.req.path)
      ? context.json({ error }, 503)
      : context.text(`${error}\n`, 503);
  });
  return app;
}
