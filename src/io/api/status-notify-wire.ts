import { z } from "@hono/zod-openapi";
import type { ChannelStatus } from "../../core/explain/status-notify.ts";
import { instant, optional } from "./wire-parts.ts";

/** The channels, as the API says them. */

export const channelSchema = z.object({
  name: z.string(),
  type: z.string(),
  waiting: z.number(),
  oldest_since: instant.nullable(),
  delivered_at: instant.nullable(),
  failing_since: instant.nullable(),
  retry_at: instant.nullable(),
  last_error: z.string().nullable(),
});

export function channelToWire(one: ChannelStatus): z.infer<typeof channelSchema> {
  return {
    name: one.name,
    type: one.type,
    waiting: one.waiting,
    oldest_since: optional(one.oldest),
    delivered_at: optional(one.deliveredAt),
    failing_since: optional(one.failingSince),
    retry_at: optional(one.retryAt),
    last_error: one.lastError?.detail ?? null,
  };
}
