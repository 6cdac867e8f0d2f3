import type { z } from "zod";
import { code, defaultText, leavesOf, meaningOf, table } from "./describe.ts";
import {
  commandSchema,
  expectationSchema,
  expectedAlertSchema,
  expectedRemediationSchema,
  expectedSuppressionSchema,
  pollSchema,
  replySchema,
  ruleTestFileSchema,
  ruleTestSchema,
} from "../src/rule-tests/file/schema.ts";

const PIECES: ReadonlyArray<readonly [string, z.ZodType]> = [
  ["", ruleTestFileSchema],
  ["tests[].", ruleTestSchema],
  ["given[].", pollSchema],
  ["commands[].", commandSchema],
  ["replies[].", replySchema],
  ["expect[].", expectationSchema],
  ["alerts[].", expectedAlertSchema],
  ["remediations[].", expectedRemediationSchema],
  ["suppressed[].", expectedSuppressionSchema],
];

/** Every key of a rule test, its default and its meaning; a kind's facts are with the kinds. */
export function describeRuleTestKeys(): string {
  const rows = PIECES.flatMap(([prefix, schema]) =>
    leavesOf(schema).map((leaf) => [
      code(prefix + leaf.path.join(".")),
      defaultText(leaf),
      meaningOf(leaf),
    ]),
  );
  return table(["Key", "Default", "Meaning"], rows);
}
