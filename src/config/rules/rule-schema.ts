import { z } from "zod";
import { ACTION_NAMES, MODES } from "../../domain/action.ts";
import type { WindowFunction } from "../../domain/rule.ts";
import { duringSchema } from "./during-schema.ts";
import {
  budgetSchema,
  duration,
  field,
  list,
  oneOf,
  orText,
  text,
  textMap,
  truth,
  wholeNumber,
} from "../../schema/fields.ts";

/** The shape of a rule file. What the expressions in it mean is checked afterwards. */

export const actSchema = z.strictObject({
  action: oneOf(ACTION_NAMES, "The action that repairs the entity."),
  mode: oneOf(
    MODES,
    "`shadow` records the action, `propose` waits for an approval, `act` sends it. The config's `actions.mode` wins if it is lower. Default: `act`, or `propose` for an action that cannot be undone.",
  ).optional(),
  if: field(
    z.string(),
    "expression",
    "A further condition, in CEL, for the action only.",
  ).optional(),
  during: duringSchema("When the action may be sent; the alert fires at any time.").optional(),
  cooldown: duration("The least time between two attempts on one entity.").prefault("10m"),
  attempts: wholeNumber(
    "How many attempts an alert has. Attempts for earlier alerts on the entity count too, until the entity was seen to be well. Default: 3, or 1 for an action that cannot be undone.",
    1,
    100,
  ).optional(),
  verify_within: duration(
    "How long it may take until the repair is seen, before the action counts as failed.",
  ).prefault("1m"),
  budget: budgetSchema.optional(),
  storm: z
    .strictObject({
      max: wholeNumber(
        "The most entities that may be bad at once, or become bad within `within`.",
        1,
        1_000_000,
      ).prefault(5),
      max_ratio: field(
        z.number().gt(0).max(1),
        "number",
        "The same, as a share of the kind's entities, except those that vanished. One may always be repaired.",
      ).prefault(0.5),
      within: duration(
        "Entities that became bad within this time count, even if they are well again. `0s`: only those that are bad now.",
        "zero",
      ).prefault("10m"),
    })
    .prefault({}),
  approvals: wholeNumber("How many people must approve, if the mode is `propose`.", 1, 5).prefault(
    1,
  ),
});

/** One windowed fact: which fact, and one function with the length of its window. */
const windowSchema = z.strictObject({
  fact: text("The fact whose past values are used."),
  max: duration("The highest value within this time.").optional(),
  min: duration("The lowest value within this time.").optional(),
  avg: duration("The mean over this time.").optional(),
  offset: duration("The value this long ago.").optional(),
  change_ratio: duration("(now - then) / then, against the value this long ago.").optional(),
  rate: duration("The change per second over this time.").optional(),
  count: orText(
    "within",
    z.strictObject({
      to: field(
        z.union([z.string(), z.number(), z.boolean()]),
        "text",
        "Only changes to this value count. Default: every change.",
      ).optional(),
      within: duration("How long the window is."),
    }),
  )
    .meta({
      description:
        "How often it changed within this time: `1h`, or `{ to: disabled, within: 1h }`.",
    })
    .optional(),
} satisfies Record<WindowFunction | "fact", z.ZodType>);

export const ruleSchema = z.strictObject({
  alert: text("The alert's name, unique across all files."),
  each: text("The kind of entity that the rule judges; there is one alert for each entity."),
  aggregators: field(
    z.array(z.string()).min(1),
    "list",
    "The names of the aggregators whose entities the rule judges. Default: all.",
  ).optional(),
  with: field(
    z.record(z.string(), windowSchema),
    "map",
    "Windowed facts: names for the past values of facts, such as `base_1h_max: { fact: base, max: 1h }`.",
  ).prefault({}),
  when: field(z.string(), "expression", "The condition, in CEL: true is bad."),
  during: duringSchema("When the rule is judged; at other times it is ok.").optional(),
  for: duration("How long the condition must be bad before the alert fires.", "zero").prefault(
    "0s",
  ),
  keep_firing_for: duration(
    "How long the condition must be ok again before the alert is resolved.",
    "zero",
  ).prefault("0s"),
  labels: textMap("Labels of the alert; `severity` is `warning` by default.").prefault({}),
  annotations: textMap("Texts for people, with CEL in `{{ }}`.").prefault({}),
  inhibited_by: list("Alerts that mute this one while they fire on the same aggregator.").prefault(
    [],
  ),
  enabled: truth("`false`: the rule is checked, but off.").prefault(true),
  act: actSchema.optional(),
});

export type RuleText = z.output<typeof ruleSchema>;
export type WindowText = z.output<typeof windowSchema>;
export type ActText = z.output<typeof actSchema>;

/** A file is read group by group and rule by rule, so one bad rule does not hide another's. */
export const groupSchema = z.strictObject({
  name: text("The group's name."),
  rules: z.array(z.unknown()),
});

export const ruleFileSchema = z.strictObject({ groups: z.array(z.unknown()) });
