import type { HttpBindings } from "@hono/node-server";
import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { secureHeaders } from "hono/secure-headers";
import { DatabaseAway } from "../postgres/database.ts";
import { succeed } from "../../domain/result.ts";
import { runbookPath } from "../../domain/runbook.ts";
import { renderRunbook, runbookText } from "../page/runbook.ts";
import { addConsole, isOfConsole } from "../console/routes.ts";
import { PLAIN_PATH, renderPage } from "../page/page.ts";
import { requireKnownHost } from "./access.ts";
import { addBacktest } from "./backtest/routes.ts";
import { addBackup } from "./backup.ts";
import { conditional } from "./conditional.ts";
import { NO_CONTENT_SOURCES } from "./content-policy.ts";
import { addExplain } from "./explain.ts";
import { addDetails, addRulesAndTimeline } from "./details/routes.ts";
import { addEvents } from "./events/route.ts";
import { addFindings } from "./lists/findings.ts";
import { addLists } from "./lists/routes.ts";
import { addScope } from "./lists/scope.ts";
import { addMcp, MCP_PATH } from "./mcp/route.ts";
import { addMetrics } from "./metrics-route.ts";
import { addOperatorCalls } from "./operator-routes.ts";
import { addReload } from "./reload.ts";
import { addOverview } from "./overview/overview.ts";
import { createMoments } from "./past/moment.ts";
import { refuseFuture } from "./past/yet-to-come.ts";
import { addRead } from "./read-route.ts";
import { NOT_JSON, replyWithProblems } from "./replies.ts";
import type { ServerSource } from "./server-source.ts";
import { serverPartOf, statusAnswer, statusAnswerOf } from "./status-answer.ts";
import { addTokenHolder } from "./token-holder.ts";
import { TOKEN_SCHEME } from "./tokens.ts";
import { readable } from "../../domain/shown/lookalike.ts";
import { LONGEST_RULES } from "./trial/answer.ts";
import { addTrial } from "./trial/route.ts";
import { createTimeSlice, inSlices } from "../process/time-slice.ts";
import { addWatchLists } from "./lists/watch-lists.ts";

/** For every page except the console's: those may have inline styles. */
const otherHeaders = secureHeaders({
  contentSecurityPolicy: { ...NO_CONTENT_SOURCES, styleSrc: ["'unsafe-inline'"] },
});

const LARGEST_BODY = 16_384;
/** A character of JSON has up to six bytes, as in `\u044f`. */
const LARGEST_WITH_RULES = LARGEST_BODY + 6 * LONGEST_RULES;
const WITH_RULES: ReadonlySet<string> = new Set(["/api/v1/try-rule", "/api/v1/backtest", MCP_PATH]);

const limitBody = limitOf(LARGEST_BODY);
const limitRules = limitOf(LARGEST_WITH_RULES);

function limitOf(maxSize: number): MiddlewareHandler {
  const error = `the body must not be larger than ${maxSize} bytes`;
  return bodyLimit({ maxSize, onError: (context) => context.json({ error }, 413) });
}

/** Some lines have words of other servers, and `curl` shows a terminal what it gets. */
function readableLine(line: string): string {
  return `${readable(line.replaceAll("\n", " "))}\n`;
}

export function createApp(source: ServerSource): OpenAPIHono {
  const app = new OpenAPIHono({ defaultHook: replyWithProblems });
  app.use((context, next) => (context.req.path === "/" ? next() : otherHeaders(context, next)));
  app.use(requireKnownHost(source.access));
  // An answer begins between two events, so that it shows one instant and never half of an event.
  app.use(async (context, next) => {
    if (!isAlwaysAnswered(context.req.path)) await source.idle();
    await next();
  });
  app.use("/api/*", dated(source.now));
  app.use(
    "/api/*",
    conditional(() => revisionOf(source)),
  );
  app.use("/api/*", refuseFuture(source.now));
  addPages(app, source);
  addMetrics(app, source);
  const { role } = source;
  const roles = (): readonly string[] => (role === undefined ? [] : [role()]);
  for (const [path, check, notes, always] of [
    ["/healthz", source.unhealthy, source.notices, () => []],
    ["/readyz", source.unready, source.unread, roles],
  ] as const) {
    app.get(path, (context) => {
      const reasons = check();
      const isWell = reasons.length === 0;
      const lines = [...(isWell ? ["ok", ...notes()] : reasons), ...always()];
      return context.text(lines.map(readableLine).join(""), isWell ? 200 : 503);
    });
  }
  addStatus(app, source);
  const moments = createMoments(source);
  addOverview(app, source, moments);
  addLists(app, source, moments);
  addScope(app, moments);
  addDetails(app, source, moments);
  addRulesAndTimeline(app, source, moments);
  addEvents(app, source);
  addReload(app, source);
  for (const path of ["/api/*", MCP_PATH])
    app.use(path, (context, next) =>
      WITH_RULES.has(context.req.path) ? limitRules(context, next) : limitBody(context, next),
    );
  addOperatorCalls(app, source);
  addTokenHolder(app, source);
  addTrial(app, source);
  addBacktest(app, source);
  addMcp(app, source);
  addWatchLists(app, source);
  addExplain(app, source);
  addFindings(app, source);
  addBackup(app, source);
  app.openAPIRegistry.registerComponent(...TOKEN_SCHEME);
  app.doc31("/api/v1/openapi.json", {
    openapi: "3.1.0",
    info: { title: "aggwatch", version: source.version },
  });
  addErrors(app, source);
  return app;
}

/**
 * Says when an answer was given by the clock that decides, also if the answer is unchanged. The machine's may be behind
 * it, as after it was set back, and the console measures ages by this.
 */
function dated(now: ServerSource["now"]): MiddlewareHandler {
  return async (context, next) => {
    await next();
    context.res.headers.set("date", new Date(now()).toUTCString());
  };
}

/**
 * What an answer for many rests on. A standby whose database is away stays at one instant, but its age and its notices do
 * not; and with units, rows may be others though the instant, which is that of `home`, is the same.
 */
function revisionOf({ view, replica, unhealthy, notices }: ServerSource): readonly unknown[] {
  const { at, entities } = view();
  return [at, entities, replica?.(), ...unhealthy(), ...notices()];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The methods that a path takes. Middleware is for every method, so it does not count. What takes GET takes HEAD. */
function methodsOf(app: OpenAPIHono, path: string): readonly string[] {
  return METHODS.filter((method) => {
    const [handlers] = app.router.match(method, path);
    return handlers.some(([[, route]]) => route.method === method);
  }).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

/**
 * These need no state that an event may leave half done, so they are answered even during a long one: an orchestrator
 * waits a few seconds. A scrape waits for its own place among the events, which comes an iteration of the event loop
 * earlier.
 */
function isAlwaysAnswered(path: string): boolean {
  return ["/healthz", "/readyz", "/metrics"].includes(path) || isOfConsole(path);
}

/** What is said in place of a library's words, which do not name what to do. */
const messages: ReadonlyMap<number, string> = new Map([
  [415, "the body must be JSON, with the header content-type: application/json"],
]);

/** The answers to unknown paths and wrong methods, and to errors. */
function addErrors(app: OpenAPIHono, source: ServerSource): void {
  app.notFound((context) => {
    const { method, path } = context.req;
    const allowed = methodsOf(app, path);
    if (allowed.length === 0 || allowed.includes(method))
      return context.json({ error: `no such page: ${path}; see / or /api/v1/openapi.json` }, 404);
    const allow = allowed.join(", ");
    return context.json({ error: `${path} takes no ${method}, but ${allow}` }, 405, { allow });
  });
  app.onError((error, context) => {
    // The library says so of a body alone.
    if (error instanceof HTTPException && error.status === 400) return context.json(NOT_JSON, 400);
    if (error instanceof HTTPException)
      return context.json({ error: messages.get(error.status) ?? error.message }, error.status);
    if (error instanceof DatabaseAway) return context.json({ error: error.message }, 503);
    if (hasLeft(context, error)) return context.body(null, 400);
    source.onError(context.req.path, error);
    return context.json({ error: "a bug in aggwatch: its log says which" }, 500);
  });
}

/** Whether the error is only that the client closed the connection before its request was complete. */
function hasLeft(context: Context, error: Error): boolean {
  const incoming = (context.env as Partial<HttpBindings> | undefined)?.incoming;
  return incoming?.readableAborted === true && "code" in error && error.code === "ECONNRESET";
}

/** The pages for browsers. */
function addPages(app: OpenAPIHono, source: ServerSource): void {
  addConsole(app);
  app.get(PLAIN_PATH, async (context) => context.html(await renderPage(source)));
  // Browsers request it with every page. There is none, and that is not an error.
  app.get("/favicon.ico", (context) => context.body(null, 204));
  app.get(runbookPath(":name"), async (context) => {
    const name = context.req.param("name") ?? "";
    const text = runbookText(name);
    if (text !== undefined && /\btext\/markdown\b/.test(context.req.header("accept") ?? ""))
      return context.body(text, 200, { "content-type": "text/markdown; charset=utf-8" });
    if (text !== undefined) return context.html(await renderRunbook(name, text));
    const error = "aggwatch has no such runbook; one of your own needs its address in runbook_url";
    return context.json({ error }, 404);
  });
}

function addStatus(app: OpenAPIHono, source: ServerSource): void {
  addRead(app, {
    path: "/api/v1/status",
    summary: "The current state: pollers, entities, alerts, remediations, proposals.",
    query: z.object({}),
    answer: statusAnswer,
    means: {
      200: "The status. If it is long, its rows may be of slightly later instants than `at`.",
    },
    of: async () => {
      const slice = createTimeSlice();
      const status = await inSlices(source.status(), slice);
      return succeed(await inSlices(statusAnswerOf(status, serverPartOf(source)), slice));
    },
  });
}
