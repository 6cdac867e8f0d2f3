import { z } from "zod";
import { parseBaseUrl } from "../../aggregator/base-url.ts";
import { INSTANT_UNITS } from "../../aggregator/decoding/decode.ts";
import { apiPrefixProblem } from "../../aggregator/authority.ts";
import { DEFAULT_API_PREFIX } from "../../aggregator/endpoints/definition.ts";
import { pollers, type PollerName } from "../../pollers/index.ts";
import type { Poller } from "../../pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../pollers/status-words.ts";
import { credential } from "../../schema/credential.ts";
import {
  duration,
  field,
  list,
  oneOf,
  refuse,
  size,
  slug,
  soundText,
  truth,
  wholeNumber,
} from "../../schema/fields.ts";
import { routeKeys } from "../../schema/route.ts";
import { section } from "../../schema/section.ts";
import { schedulePatternProblem } from "./schedule.ts";
import { watchSchema } from "./watch-schema.ts";
import { wireSchema } from "./wire-schema.ts";

/** The shape of one entry of `aggregators`. */

const name = field(
  slug,
  "text",
  "The name in metrics, alerts and logs. Default: from the base URL, such as `bsc-mainnet`.",
);

const baseUrl = field(
  soundText((value) => {
    const url = parseBaseUrl(value);
    return url.ok ? [] : [url.problem, "for example https://host/bsc-mainnet/backend"];
  }),
  "text",
  "What all paths are relative to; a path of its own is kept.",
);

const apiPrefix = field(
  z.string().transform((value, context) => {
    const prefix = value.replace(/\/+$/, "");
    const problem = apiPrefixProblem(prefix);
    if (problem !== undefined)
      refuse(context, problem, "for example /api/v2, or / if there is none");
    return prefix === "" ? "" : `/${prefix.replace(/^\//, "")}`;
  }),
  "text",
  "What all default paths begin with instead of `/api/v1`.",
);

const schedule = ({ name: poller, defaultSchedule }: Poller) =>
  field(
    z.unknown().transform((value, context): string | null => {
      if (value === "off") return null;
      const example = 'for example "*/10 * * * * *", or "off"';
      if (typeof value !== "string") {
        refuse(context, value === null ? "has no value" : "is not a schedule", example);
        return z.NEVER;
      }
      const problem = schedulePatternProblem(value);
      if (problem !== undefined) refuse(context, `is not a schedule: ${problem}`, example);
      return value;
    }),
    "schedule",
    `When the poller \`${poller}\` polls, in UTC: cron with seconds first, or \`off\`.`,
  ).prefault(defaultSchedule ?? "off");

type Schedules = Readonly<Record<PollerName, ReturnType<typeof schedule>>>;

/** One key for each poller; those that cost the aggregator much are off until they are asked for. */
const schedulesSchema = z.strictObject(
  Object.fromEntries(pollers.map((poller) => [poller.name, schedule(poller)])) as Schedules,
);

const { open, cancelable, final, swaps } = DEFAULT_STATUSES;

export const aggregatorSchema = section({
  name: name.optional(),
  base_url: baseUrl.optional(),
  auth: section({
    read: credential.prefault({}),
    act: credential.prefault({}),
  }).prefault({}),
  ...routeKeys,
  rate: section({
    requests_per_second: field(
      z.number().min(0.01).max(10_000),
      "number",
      "The most requests a second. An action and the reading right before it do not wait for it; polls then wait longer.",
    ).prefault(50),
    concurrency: wholeNumber(
      "The most requests at once, of which one is never a poll, if there are two or more. Polls are fewer while the aggregator answers 429 or 503, or not in time.",
      1,
      1_000,
    ).prefault(16),
    longest_pause: duration(
      "How long a 429 or 503 may keep polls from an endpoint, at the most, whatever `Retry-After` says.",
    ).prefault("5m"),
  }).prefault({}),
  timeout: duration("How long a whole request may take.").prefault("10s"),
  timeouts: section({
    connect: duration("How long connecting may take.").prefault("3s"),
    response: duration("How long the first byte of an answer may take.").prefault("8s"),
  }).prefault({}),
  max_body_bytes: size("The longest body that is read, unpacked.").prefault("5MiB"),
  retries: wholeNumber(
    "How often a failed read is tried again. An action never is.",
    0,
    10,
  ).prefault(2),
  conditional_reads: truth(
    "`true`: polls send `If-None-Match` if the aggregator gave an `ETag`. Readings around an action never do.",
  ).prefault(true),
  schedules: schedulesSchema.prefault({}),
  stale_after: duration(
    "How old a poller's last reading may be before it is unknown. Default: three missed polls.",
  ).optional(),
  watch: watchSchema.prefault({}),
  statuses: section({
    open: list("Order statuses that are open, in the order in which orders move.").prefault([
      ...open,
    ]),
    cancelable: list("Order statuses that can be cancelled.").prefault([...cancelable]),
    final: list("Order statuses that do not change any more.").prefault([...final]),
  }).prefault({}),
  swap_statuses: section({
    active: list("Swap statuses that are active.").prefault([...swaps.active]),
    settled: list("Swap statuses of one that was carried out.").prefault([...swaps.settled]),
    expired: list("Swap statuses of one that ended without being carried out.").prefault([
      ...swaps.expired,
    ]),
  }).prefault({}),
  api_prefix: apiPrefix.prefault(DEFAULT_API_PREFIX),
  instants: oneOf(
    INSTANT_UNITS,
    "The unit of times in replies: since the epoch, or ISO 8601 texts with their zone.",
  ).prefault("milliseconds"),
  wire: wireSchema.prefault({}),
});

export type AggregatorText = z.output<typeof aggregatorSchema>;
