import { isIP } from "node:net";
import { z } from "zod";
import { SECOND } from "../../domain/time.ts";
import { ACTION_NAMES, MODES, type ActionName } from "../../domain/action.ts";
import type { ActingPolicy } from "../../domain/step.ts";
import { DEFAULT_LIMITS } from "../../domain/limits.ts";
import { KEPT_REPLIES } from "../../domain/reply.ts";
import { aggregatorSchema } from "./aggregator-schema.ts";
import { maintenanceSchema } from "./maintenance-schema.ts";
import { notifySchema } from "./notify-schema.ts";
import { serverSchema } from "./server-schema.ts";
import {
  budgetSchema,
  duration,
  field,
  needsRestart,
  oneOf,
  path,
  size,
  wholeNumber,
} from "../../schema/fields.ts";
import { secretKeys } from "../../schema/credential.ts";
import { section } from "../../schema/section.ts";
import { httpUrl } from "../../schema/url.ts";
import { MOST_SHARDS } from "../rate-shares.ts";

/**
 * The shape of the config file, and the one home of a setting: its type, default, name where it is used,
 * environment variable, row in docs/configuration.md, editor schema, and what a reload says of it follow.
 */

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const LOG_FORMATS = ["auto", "json", "pretty"] as const;

const LISTEN = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/;
/** No name of a host looks like this, so it would never resolve. */
const LIKE_ADDRESS = /:|^\d+(?:\.\d+){3}$/;

function isListen(text: string): boolean {
  const [, bracketed, host = bracketed ?? "", port] = LISTEN.exec(text) ?? [];
  return Number(port) <= 65_535 && (isIP(host) !== 0 || !LIKE_ADDRESS.test(host));
}

const listen = field(
  z.string().refine(isListen, { error: "must be a host and a port, such as 127.0.0.1:9733" }),
  "text",
  "Host and port of `/metrics`, `/healthz`, `/readyz`, the page and the API. Port 0 takes any free one.",
);

const budgets = Object.fromEntries(
  ACTION_NAMES.map((name) => [name, budgetSchema.exactOptional()]),
) as Record<ActionName, z.ZodExactOptional<typeof budgetSchema>>;

const actionsSchema = section({
  mode: oneOf(
    MODES,
    "The ceiling: no rule goes above it. `shadow` decides and records, `propose` waits for a person, `act` acts.",
  ).prefault("shadow"),
  budget: section({
    max: wholeNumber("The most actions, over all rules.", 0, 1_000_000).prefault(20),
    per: duration("Within any window of this length.").prefault("1h"),
  }).prefault({}),
  budgets: z.strictObject(budgets).prefault({}),
  settle_after_start: duration("No action for this long after the start.", "zero").prefault("30s"),
  max_age: duration("The oldest reading that may justify an action.").prefault("1m"),
  confirm_within: duration("How long the reading right before an action may take.").prefault("15s"),
  approval_expires_after: duration("How long a proposal waits for a person.").prefault("30m"),
  undo_window: duration("A repair that is undone this soon counts as undone on purpose.").prefault(
    "30m",
  ),
  undo_limit: wholeNumber(
    "After so many repairs in a row that were undone, an entity is quarantined; after one more if none of them was verified.",
    1,
    100,
  ).prefault(2),
  ramp_interval: duration(
    "After a storm, a hold or the kill switch: 1 action, then 2, then 4 … for each interval of this length.",
  ).prefault("1m"),
  kill_file: needsRestart(
    path("While this file exists, nothing acts. Default: the file `KILL` in the directory `data`."),
  ).optional(),
});

/** Whether the kill file exists is an event; the core decides by all other settings of `actions`. */
type ActionSettings = Omit<z.output<typeof actionsSchema>, "killFile">;

declare module "../../domain/step.ts" {
  interface ActingPolicy extends ActionSettings {}
}

/** How the core acts if the config does not say. */
export const DEFAULT_ACTING: ActingPolicy = actionsSchema.parse({});

/** Where the journal is: a file in the directory `data`, or a PostgreSQL that several replicas share. */
const postgresSchema = z.strictObject({
  ...secretKeys(
    "url",
    "the URL of a PostgreSQL database of aggwatch's own, such as `postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full`",
    needsRestart,
  ),
  replica: needsRestart(
    field(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, {
        error: "must be of letters, digits, dots, dashes and underscores",
      }),
      "text",
      "What this replica is called, beside the others. Default: the host's name.",
    ),
  ).optional(),
  lease: needsRestart(
    duration(
      "How long a replica may be silent before another takes over. It renews its lease each fifth of that.",
    ),
  ).prefault("15s"),
});

export const journalSchema = z.strictObject({
  postgres: postgresSchema.optional(),
  shards: needsRestart(
    wholeNumber(
      "Into how many units the watched senders are spread over the replicas, the same for all of them; 0: the replica that acts watches them too. Needs PostgreSQL.",
      0,
      MOST_SHARDS,
    ),
  ).prefault(0),
});

export const settingsSchema = section({
  listen: needsRestart(listen).prefault("127.0.0.1:9733"),
  stuck_after: needsRestart(
    duration(
      "An event loop that is blocked for so long ends the process, to be restarted. `0s`: never.",
      "zero",
      2 * SECOND,
    ),
  ).prefault("1m"),
  data: needsRestart(path("The directory of the journal.")).prefault("./data"),
  journal: journalSchema.prefault({}),
  rules: path("The directory of the rule files.").prefault("./rules"),
  limits: section({
    entities: wholeNumber(
      "The most entities of one kind that an aggregator may have. What is beyond is left out, and its listing justifies no action.",
      1,
      10_000_000,
    ).prefault(DEFAULT_LIMITS.entities),
    entities_per_entry: wholeNumber(
      "If that is more: so many for each entry of a watch list that the kind is read by, such as the swaps of each sender.",
      1,
      10_000,
    ).prefault(DEFAULT_LIMITS.entitiesPerEntry),
    vanished: wholeNumber(
      "The most entities of one kind of an aggregator that are kept after they vanished; those that vanished first go.",
      1,
      1_000_000,
    ).prefault(DEFAULT_LIMITS.vanished),
  }).prefault({}),
  record: section({
    retention: needsRestart(
      duration("How long the journal keeps what was observed, for `aggwatch backtest`."),
    ).prefault("30d"),
    max_size: needsRestart(
      size(
        "The most room that this takes on disk; the oldest days go first. Today's is always kept.",
      ),
    ).prefault("512MiB"),
    replies: section({
      keep: needsRestart(
        oneOf(
          KEPT_REPLIES,
          "Which replies are kept as they came, for `aggwatch replies`: `none`, `failures` (nothing could be read in them), or `changes` (each that is not the one before).",
        ),
      ).prefault("none"),
      max_size: needsRestart(
        size(
          "The most room that they take on disk; the oldest go first. They are kept for `record.retention` at most.",
        ),
      ).prefault("64MiB"),
    }).prefault({}),
  }).prefault({}),
  log: section({
    level: oneOf(LOG_LEVELS, "The least severe level that is logged.").prefault("info"),
    format: needsRestart(
      oneOf(LOG_FORMATS, "`auto` is `pretty` on a terminal and `json` elsewhere."),
    ).prefault("auto"),
  }).prefault({}),
  tracing: section({
    otlp: section({
      endpoint: needsRestart(
        httpUrl(
          "Where traces go by OTLP over HTTP, such as http://127.0.0.1:4318; `/v1/traces` is added. Without it, and without the variable `OTEL_EXPORTER_OTLP_ENDPOINT`, nothing is traced.",
        ),
      ).optional(),
    }).prefault({}),
  }).prefault({}),
  aggregators: z.array(aggregatorSchema).prefault([]),
  actions: actionsSchema.prefault({}),
  maintenance: z.array(maintenanceSchema).prefault([]),
  notify: notifySchema.prefault({}),
  server: serverSchema.prefault({}),
});

/** The config as its schema reads it, before anything that takes more than one key is resolved. */
export type ParsedSettings = z.output<typeof settingsSchema>;
