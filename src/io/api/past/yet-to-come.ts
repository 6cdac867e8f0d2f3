import type { MiddlewareHandler } from "hono";
import { formatInstant, type Instant } from "../../../domain/time.ts";

/** Refuses a query whose `at` is later than now. The route's schema refuses an `at` that is no instant. */
export function refuseFuture(now: () => Instant): MiddlewareHandler {
  return async (context, next) => {
    const at = context.req.query("at");
    if (at === undefined || !(Date.parse(at) > now())) return await next();
    const problems = [`at: ${at} is yet to come; it is ${formatInstant(now())}`];
    return context.json({ error: "the query is wrong", problems }, 400);
  };
}
