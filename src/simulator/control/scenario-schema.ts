import * as z from "zod";
import type { Ready } from "./command.ts";
import { describeProblems, prepareCommand } from "./control.ts";
import { duration } from "../model/duration.ts";
import { worldPlanSchema } from "../model/world-plan.ts";

/** A scenario: a world to begin with, and control commands, each at a time since the start. */

type Step = {
  /** Milliseconds since the simulator's start. */
  readonly at: number;
  /** Shown to people. */
  readonly say?: string | undefined;
  readonly run?: Ready | undefined;
};

/** `at`, `say`, and the fields of one control command. */
const step = z
  .looseObject({
    at: duration.describe("When, since the start: 90s, 1m30s, or 0."),
    say: z.string().max(1_000).describe("What is shown to people.").optional(),
  })
  .transform(({ at, say, ...command }, context): Step => {
    if (Object.keys(command).length === 0) return { at, say };
    const prepared = prepareCommand(command);
    if (prepared.ok) return { at, say, run: prepared.value };
    for (const { path, message } of prepared.problem)
      context.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  });

export const scenarioSchema = z.strictObject({
  name: z.string().min(1).max(200),
  seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  world: worldPlanSchema.optional(),
  steps: z.array(step).max(10_000).default([]),
});
export type Scenario = z.output<typeof scenarioSchema>;

/** Reads one control command and runs it. */
export function runCommand(value: unknown, target: Parameters<Ready>[0]): ReturnType<Ready> {
  const prepared = prepareCommand(value);
  return prepared.ok
    ? prepared.value(target)
    : { ok: false, problem: describeProblems(prepared.problem) };
}
