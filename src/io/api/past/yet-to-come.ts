import type { MiddlewareHandler } from "hono";
import { formatInstant, type Instant } from "../../../domain/time.ts";
import { wrong } from "../replies.ts";

/** Refuses a query whose `at` is later than now. The route's schema refuses an `at` that is no instant. */
export function refuseFuture(now: () => Instant): MiddlewareHandler {
  return async (context, next) => {
    const at = context.req.query("at");
    if (at === undefined || !(Date.parse(at) > now())) return await next();
    const problems = [`at: ${at} is in the future; now it is ${formatInstant(now())}`];
    return context.json(wrong("query", problems), 400);
  };
}
