import { z } from "zod";
import { DAY } from "../../domain/time.ts";
import { duration, field, slug, soundText, text, timeZone } from "../../schema/fields.ts";
import { section } from "../../schema/section.ts";
import { schedulePatternProblem } from "./schedule.ts";

/** Recurring maintenance windows: each occurrence of one is a hold. */

const LONGEST_WINDOW = DAY;

const schedule = field(
  soundText((value) => {
    const problem = schedulePatternProblem(value);
    const hint = 'for example "0 2 * * 6" for Saturdays at two';
    if (problem !== undefined) return [`is not a schedule: ${problem}`, hint];
    const isFive = value.trim().split(/\s+/).length === 5;
    return isFive ? [] : ["has five fields here: windows begin on a minute", hint];
  }),
  "text",
  "When a window begins: cron with five fields, minutes first.",
);

export const maintenanceSchema = section({
  name: field(slug, "text", "Its name; the hold is `maintenance-<name>`."),
  schedule,
  time_zone: timeZone(
    "The time zone of the schedule. A window in an hour that summer time skips begins right after it; one in the hour that comes twice when summer time ends begins twice.",
  ).prefault("UTC"),
  duration: duration("How long a window lasts; at most a day.").refine(
    (length) => length <= LONGEST_WINDOW,
    "must be at most a day; hold by hand for longer",
  ),
  scope: z
    .strictObject({
      aggregator: text("Of this aggregator only; it must exist.").exactOptional(),
      kind: text("Of this kind only; it must exist.").exactOptional(),
      id: text("This entity, and those whose parent it is.").exactOptional(),
      rule: text("By this rule only; it must exist.").exactOptional(),
    })
    .prefault({}),
  reason: text("Why, for the people on call."),
});
