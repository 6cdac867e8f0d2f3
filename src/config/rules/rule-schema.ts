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

const actSchema = z.strictObject({
  action: oneOf(ACTION_NAMES, "What repairs it."),
  mode: oneOf(
    MODES,
    "`shadow` records what it would do, `propose` waits for a person, `act` does it. The config's `actions.mode` wins if it is lower. Default: `act`, or `propose` for an action that cannot be undone.",
  ).optional(),
  if: field(z.string(), "expression", "A further condition on acting alone, in CEL.").optional(),
  during: duringSchema("When it may be acted; the alert fires all the same.").optional(),
  cooldown: duration("The least time between two attempts on one entity.").prefault("10m"),
  attempts: wholeNumber(
    "How often it is tried until the entity is seen to be well. Default: 3, or 1 for an action that cannot be undone.",
    1,
    100,
  ).optional(),
  verify_within: duration(
    "How long seeing the repair may take before it counts as failed.",
  ).prefault("1m"),
  budget: budgetSchema.optional(),
  storm: z
    .strictObject({
      max: wholeNumber(
        "The most entities that may be bad at once, or become bad `within`.",
        1,
        1_000_000,
      ).prefault(5),
      max_ratio: field(
        z.number().gt(0).max(1),
        "number",
        "The same as a share of the kind's entities without those that vanished; one may always be repaired.",
      ).prefault(0.5),
      within: duration(
        "Those that became bad within this time count, though they are well again. `0s`: only those that are bad at once.",
        "zero",
      ).prefault("10m"),
    })
    .prefault({}),
  approvals: wholeNumber("How many persons must approve, if the mode is `propose`.", 1, 5).prefault(
    1,
  ),
});

/** One windowed fact: which fact, and one function with the length of its window. */
const windowSchema = z.strictObject({
  fact: text("The fact whose past it is about."),
  max: duration("The highest value within this time.").optional(),
  min: duration("The lowest value within this time.").optional(),
  avg: duration("The mean over this time.").optional(),
  offset: duration("The value this long ago.").optional(),
  change_ratio: duration("(now - then) / then, against the value this long ago.").optional(),
  rate: duration("How much it rose per second over this time.").optional(),
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
  alert: text("The alert's name, unique over all files."),
  each: text("The kind of entity that it judges; one alert for each entity."),
  aggregators: field(
    z.array(z.string()).min(1),
    "list",
    "The names of the aggregators whose entities it judges. Default: all of them.",
  ).optional(),
  with: field(
    z.record(z.string(), windowSchema),
    "map",
    "Windowed facts: a name of its own for what a fact was over time, such as `base_1h_max: { fact: base, max: 1h }`.",
  ).prefault({}),
  when: field(z.string(), "expression", "The condition, in CEL: true is bad."),
  during: duringSchema("When it is judged; outside of that it is ok.").optional(),
  for: duration("How long it must be bad before the alert fires.", "zero").prefault("0s"),
  keep_firing_for: duration(
    "How long it must be ok again before the alert is resolved.",
    "zero",
  ).prefault("0s"),
  labels: textMap("Labels of the alert; `severity` is `warning` if it is not given.").prefault({}),
  annotations: textMap("Texts for people, with CEL in `{{ }}`.").prefault({}),
  inhibited_by: list("Alerts that mute this one while they fire on the same aggregator.").prefault(
    [],
  ),
  enabled: truth("`false`: the rule is checked, and left out.").prefault(true),
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
