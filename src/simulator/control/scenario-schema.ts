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
    say: z.string().min(1).max(1_000).describe("What is shown to people.").optional(),
  })
  .superRefine(
    ({ at: _at, say, ...command }, context) => {
      if (say === undefined && Object.keys(command).length === 0) {
        const message = "says and does nothing: give it say, do or both";
        context.addIssue({ code: "custom", message });
      }
      const prepared = commandOf(command);
      for (const { path, message } of prepared?.ok === false ? prepared.problem : [])
        context.addIssue({ code: "custom", path: [...path], message });
    },
    // Although `at` may be wrong: all problems are named at once.
    { when: ({ value }) => typeof value === "object" && value !== null },
  )
  .transform(({ at, say, ...command }): Step => {
    const prepared = commandOf(command);
    return prepared?.ok === true ? { at, say, run: prepared.value } : { at, say };
  });

/** Undefined if it has only a `say`. */
function commandOf(command: object): ReturnType<typeof prepareCommand> | undefined {
  return Object.keys(command).length === 0 ? undefined : prepareCommand(command);
}

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
