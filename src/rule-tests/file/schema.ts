import { z } from "zod";
import { ACTION_NAMES, MODES } from "../../domain/action.ts";
import { ALERT_STATES } from "../../domain/alert.ts";
import type { KindDefinition } from "../../domain/entity.ts";
import { SUPPRESSION_REASONS } from "../../core/act/guards/index.ts";
import { DEFAULT_LIMITS } from "../../domain/limits.ts";
import { REMEDIATION_STATES } from "../../domain/remediation.ts";
import { parseInstant, type Instant } from "../../domain/time.ts";
import { kinds, OWN_KINDS } from "../../pollers/kinds.ts";
import { POLLER_NAMES } from "../../pollers/index.ts";
import {
  duration,
  field,
  list,
  listOf,
  oneOf,
  refuse,
  text,
  textMap,
  truth,
  wholeNumber,
} from "../../schema/fields.ts";

/**
 * The shape of a rule test file. It is checked part by part, so that one bad entry does not hide
 * another's problems; `ruleTestsSchema` is the whole, for editors.
 */

const timeline = (means: string) =>
  field(
    z.union(
      [
        z.string(),
        z.number(),
        z.boolean(),
        z.array(z.union([z.string(), z.number(), z.boolean()])),
      ],
      "must be a timeline, such as enabled x2, disabled",
    ),
    "text",
    means,
  );

const instant = (means: string) =>
  field(
    z.string("must be an instant").transform((text, context): Instant => {
      const at = INSTANT.test(text) ? parseInstant(text) : undefined;
      if (at === undefined) refuse(context, "is not an instant in whole seconds", INSTANT_HINT);
      return at ?? 0;
    }),
    "text",
    means,
  );

/** With its zone, as a test must mean the same everywhere. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/;
const INSTANT_HINT = 'write "2026-03-29T00:00:00Z", or with an offset: "2026-03-29T02:00:00+02:00"';

const ids = (means: string) =>
  field(
    z.union(
      [z.string().min(1), z.array(z.string().min(1)).min(1)],
      "must be an id, or a list of ids",
    ),
    "text",
    means,
  );

/** The kinds that polls give; the core makes the others itself. */
const givenKinds: readonly KindDefinition[] = [...kinds.values()].filter(
  ({ kind }) => !OWN_KINDS.has(kind),
);

function givenSchema({ kind, means, facts }: KindDefinition) {
  const timelines = Object.entries(facts).map(([name, fact]) => [
    name,
    timeline(fact.means).optional(),
  ]);
  return z.strictObject({
    [kind]: ids(`${means} Its id, or a list of ids that share the timelines.`),
    ...Object.fromEntries(timelines),
  });
}

export const pollSchema = z.strictObject({
  poll: oneOf(POLLER_NAMES, "The poller."),
  surface: text("Only this surface of the poller, such as one sender or one order.").optional(),
  outcome: timeline(
    "`ok`, `truncated`, `missing` (404 for the watched ids), `missed` (no poll took place), `failed`, or the reason of the failure.",
  ),
});

/** The schemas of the entries of `given`, by the first key of an entry: a kind, or `poll`. */
export const givenSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ...givenKinds.map((definition) => [definition.kind, givenSchema(definition)] as const),
  ["poll", pollSchema],
]);

export const commandSchema = z.strictObject({
  at: duration("When, since the start of the test.", "zero"),
  kill: text("Turns the kill switch on, for this reason.").optional(),
  unkill: text("Turns the kill switch off, for this reason.").optional(),
  approve: textMap("Approves a proposal, such as { LiquidationStuck: order-7 }.").optional(),
  deny: textMap("Denies a proposal, such as { LiquidationStuck: order-7 }.").optional(),
  release: text("Ends the quarantine of an entity, such as `exchange/BINANCE`.").optional(),
  by: text("Who gives it: a second approval needs another person.").prefault("test"),
});

export const replySchema = z.strictObject({
  action: oneOf(ACTION_NAMES, "The action that is answered."),
  id: text("Only for this entity.").optional(),
  outcome: oneOf(["acknowledged", "rejected", "in_doubt"], "How it is answered.").prefault(
    "acknowledged",
  ),
  effect: truth(
    "Whether the entity is repaired by it. Default: `true` if it is acknowledged.",
  ).optional(),
  after: duration("How long the answer takes.", "zero").prefault("0s"),
  times: wholeNumber("To how many calls this applies. Default: all.", 1, 1_000).optional(),
});

/** Beside these, one key is the alert and its value the entity: `{ ExchangeDisabled: BINANCE }`. */
export const expectedAlertSchema = z
  .object({
    state: oneOf(ALERT_STATES, "`pending`, `firing` or `resolved`.").optional(),
    severity: field(z.string(), "text", "The label `severity`.").optional(),
    unknown: truth("Whether it keeps its state because the condition is unknown.").optional(),
    muted: truth("Whether an alert of `inhibited_by` mutes it.").optional(),
    labels: textMap("The labels to compare.").optional(),
    annotations: textMap("The annotations to compare.").optional(),
  })
  .catchall(z.string());

/** Beside the state, one key is the action: `{ enable_exchange: BINANCE }`. */
export const expectedRemediationSchema = z
  .object({ state: oneOf(REMEDIATION_STATES, "Its state.").optional() })
  .catchall(z.string());

/** Beside the reason, one key is the alert. */
export const expectedSuppressionSchema = z
  .object({ reason: oneOf(SUPPRESSION_REASONS, "The guard that objected.").optional() })
  .catchall(z.string());

/** The schemas of the items are `z.unknown()` if the items are checked one by one. */
function expectationShape(alert: z.ZodType, remediation: z.ZodType, suppression: z.ZodType) {
  const exact = (item: z.ZodType, means: string) => listOf(item, means).optional();
  return z.strictObject({
    at: duration("When, since the start of the test; compared at the end of that second.", "zero"),
    alerts: exact(alert, "All alerts that are pending or firing."),
    remediations: exact(remediation, "All remediations so far, in their order."),
    suppressed: exact(suppression, "All alerts whose action a guard holds back at that time."),
  });
}

function testShape(given: z.ZodType, command: z.ZodType, reply: z.ZodType, expectation: z.ZodType) {
  return z.strictObject({
    name: text("What is tested, as a sentence."),
    start: instant(
      "When the clock of the test starts, such as `2026-03-29T00:00:00Z`. Default: `2026-01-01T00:00:00Z`, a Thursday.",
    ).prefault("2026-01-01T00:00:00Z"),
    every: duration("The time from one observation to the next.").prefault("30s"),
    stale_after: duration(
      "How long a poller may go without a good poll before it is stale. Default: three times `every`.",
    ).optional(),
    most_entities: wholeNumber(
      "The most entities of one kind, like `limits.entities` of the config.",
      1,
      10_000_000,
    ).prefault(DEFAULT_LIMITS.entities),
    mode: oneOf(MODES, "The ceiling for actions.").prefault("act"),
    rules: field(
      z.array(z.string().min(1, "must not be empty")).min(1),
      "list",
      "The rules that judge, of those in the rule files. Default: all but those that are off or have `aggregators`, and any that the test names.",
    ).optional(),
    given: listOf(given, "What each observation shows."),
    commands: listOf(command, "What operators do.").prefault([]),
    replies: listOf(
      reply,
      "How actions are answered. Default: each is acknowledged, and repairs the entity.",
    ).prefault([]),
    expect: field(z.array(expectation).min(1), "list", "What is expected, and when."),
  });
}

function fileShape(test: z.ZodType) {
  return z.strictObject({
    rule_files: list(
      "The rule files, relative to this file. Default: the one with this file's name.",
    ).optional(),
    tests: z.array(test),
  });
}

const any = z.unknown();
export const expectationSchema = expectationShape(any, any, any);
export const ruleTestSchema = testShape(any, any, any, any);
export const ruleTestFileSchema = fileShape(any);

/** A whole rule test file, for the JSON Schema that editors use. */
export const ruleTestsSchema = fileShape(
  testShape(
    z.union([...givenSchemas.values()]),
    commandSchema,
    replySchema,
    expectationShape(expectedAlertSchema, expectedRemediationSchema, expectedSuppressionSchema),
  ),
);
