import { z } from "zod";
import { duration, field, text } from "../../schema/fields.ts";

/** The shape of `notify.heartbeat`: a dead man's switch that is told as long as the work is being done. */
export const heartbeatSchema = z.strictObject({
  url_file: text("A file that holds the URL to ping, which is a secret.").optional(),
  url_env: text("An environment variable that holds the URL to ping.").optional(),
  every: duration("How often it is pinged, while all is well.").prefault("1m"),
  timeout: duration("How long its answer may take.").prefault("10s"),
  needs_notifier: field(
    z.boolean(),
    "truth",
    "`true`: withheld also while a notification waits for longer than five minutes.",
  ).prefault(false),
});

export type HeartbeatText = z.output<typeof heartbeatSchema>;
