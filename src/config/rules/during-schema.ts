import { z } from "zod";
import { field, refuse, timeZone } from "../../schema/fields.ts";
import { DAYS, daysOf, minutesOf } from "./during.ts";

/** The shape of `during`: hours and days, each a text or a list of texts. */

function texts(means: string, isSound: (text: string) => boolean, message: string, hint: string) {
  const written = z.union([z.string(), z.array(z.string()).min(1)], "must be a text, or a list");
  const list = written.transform((value, context): readonly string[] => {
    const parts = typeof value === "string" ? value.split(",").map((part) => part.trim()) : value;
    for (const [index, text] of parts.entries()) {
      const path = typeof value === "string" ? [] : [index];
      if (!isSound(text)) refuse(context, message, hint, path);
    }
    return parts;
  });
  return field(list, "list", means);
}

export const duringSchema = (means: string) =>
  z
    .strictObject({
      hours: texts(
        "A span of the day, such as `09:00-17:30`, or a list of spans. `22:00-06:00` ends on the next day. Default: all day.",
        (text) => minutesOf(text) !== undefined,
        "is not from one time of the day to another",
        'write "09:00-17:30"; "22:00-06:00" ends on the next day, "00:00-24:00" is all day',
      ).prefault("00:00-24:00"),
      days: texts(
        "The days on which the hours begin, such as `mon-fri` or `[sat, sun]`. Default: every day.",
        (text) => daysOf(text) !== undefined,
        "is neither a day nor a span of days",
        `days are ${DAYS.join(", ")}, or a span such as mon-fri`,
      ).prefault("mon-sun"),
      time_zone: timeZone("The time zone of hours and days.").prefault("UTC"),
    })
    .meta({ description: means });
