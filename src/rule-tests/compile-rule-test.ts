import { SECOND } from "../domain/time.ts";
import type { Millis } from "../domain/time.ts";
import { checkShape } from "../config/yaml/check-shape.ts";
import { compileExpectation } from "./compile-expectation.ts";
import { compileGiven } from "./compile-given.ts";
import type { RuleTest, ScriptedCommand, ScriptedReply } from "./rule-test.ts";
import { commandSchema, replySchema, ruleTestSchema } from "./schema.ts";
import { checkSeconds, unknownAlert, type TestPiece } from "./test-piece.ts";

const LONGEST_TEST: Millis = 7 * 24 * 3_600 * SECOND;

/** Compiles one test; what is wrong goes to the reporter. */
export function compileRuleTest(piece: TestPiece): RuleTest | undefined {
  const { path, reporter } = piece;
  const { value, problems } = checkShape(ruleTestSchema, piece.value);
  reporter.takeShape(path, problems);
  if (value === undefined) return undefined;
  const pieces = (key: string, values: readonly unknown[]): TestPiece[] =>
    values.map((item, index) => ({ ...piece, value: item, path: [...path, key, index] }));
  checkSeconds(reporter, [...path, "every"], value.every);
  const given = pieces("given", value.given).map(compileGiven);
  const expectations = pieces("expect", value.expect).flatMap(compileExpectation);
  const end = Math.max(...expectations.map(({ atMs }) => atMs));
  if (end > LONGEST_TEST)
    reporter.report([...path, "expect"], { id: "test/too-long", message: "longer than a week" });
  return {
    name: value.name,
    line: reporter.lineOf(path),
    everyMs: value.every,
    staleAfterMs: value.stale_after ?? 3 * value.every,
    mode: value.mode,
    entities: given.flatMap(({ entities }) => entities),
    polls: given.flatMap(({ polls }) => polls),
    commands: pieces("commands", value.commands).flatMap(compileCommand),
    replies: pieces("replies", value.replies).flatMap(compileReply),
    expectations: expectations.toSorted((one, other) => one.atMs - other.atMs),
  };
}

function compileCommand({ value, path, reporter, rules }: TestPiece): ScriptedCommand[] {
  const shape = checkShape(commandSchema, value);
  reporter.takeShape(path, shape.problems);
  if (shape.value === undefined) return [];
  const { at: atMs, kill, unkill, approve, deny, release } = shape.value;
  checkSeconds(reporter, [...path, "at"], atMs);
  const commands: ScriptedCommand[] = [
    ...(kill === undefined ? [] : [{ atMs, name: "kill", reason: kill } as const]),
    ...(unkill === undefined ? [] : [{ atMs, name: "unkill", reason: unkill } as const]),
    ...Object.entries(approve ?? {}).map(
      ([alert, id]) => ({ atMs, name: "approve", alert, id }) as const,
    ),
    ...Object.entries(deny ?? {}).map(
      ([alert, id]) => ({ atMs, name: "deny", alert, id }) as const,
    ),
    ...(release === undefined ? [] : [{ atMs, name: "release", entity: release } as const]),
  ];
  if (commands.length !== 1)
    reporter.report(path, {
      id: "test/command",
      message: "a command is one of kill, unkill, approve, deny and release",
      hint: "for example { at: 3m, kill: maintenance }",
    });
  for (const command of commands)
    if ("alert" in command && rules?.some(({ alert }) => alert === command.alert) === false)
      reporter.report(
        [...path, command.name, command.alert],
        unknownAlert(command.alert, rules),
        "key",
      );
  return commands;
}

function compileReply({ value, path, reporter }: TestPiece): ScriptedReply[] {
  const shape = checkShape(replySchema, value);
  reporter.takeShape(path, shape.problems);
  if (shape.value === undefined) return [];
  const { action, id, outcome, effect, after, times } = shape.value;
  if (outcome === "rejected" && effect === true)
    reporter.report([...path, "effect"], {
      id: "test/bad-value",
      message: "what was rejected has no effect",
    });
  return [
    {
      action,
      outcome,
      effect: effect ?? outcome === "acknowledged",
      afterMs: after,
      times: times ?? Infinity,
      ...(id === undefined ? {} : { id }),
    },
  ];
}
