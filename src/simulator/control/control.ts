import { fail, type Result } from "../../domain/result.ts";
import { aggregatorCommands } from "./aggregator.ts";
import { orderCommands } from "./orders.ts";
import { swapCommands } from "./swaps.ts";
import type { Command, Ready } from "./command.ts";
import { problemLine, type ShapeProblem } from "../../domain/values/shape-problems.ts";

/** Every control command; `GET /_sim/` and docs/simulator.md list them in this order. */
export const COMMANDS: readonly Command[] = [
  ...aggregatorCommands,
  ...orderCommands,
  ...swapCommands,
];

/** Reads and checks a command, `{ do: <name>, … }`, without running it. */
export function prepareCommand(value: unknown): Result<Ready, readonly ShapeProblem[]> {
  const name: unknown =
    typeof value === "object" && value !== null && "do" in value ? value.do : undefined;
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return command.prepare(value);
  const names = COMMANDS.map((one) => one.name).join(", ");
  return fail([{ path: ["do"], message: `must be one of ${names}` }]);
}

/** The problems of a command as one text. */
export function describeProblems(problems: readonly ShapeProblem[]): string {
  return problems.map((problem) => problemLine(problem, "the command")).join("; ");
}
