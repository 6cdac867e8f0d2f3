import { DAY, type Millis } from "../../domain/time.ts";
import { unknownAlert } from "../../config/rules/rule-work.ts";
import { checkCommand, checkReply } from "./check-effects.ts";
import { compileExpectation } from "./compile-expectation.ts";
import { checkNamedOnce, compileGiven } from "./compile-given.ts";
import type { RuleTest, ScriptedCommand, ScriptedReply } from "./rule-test.ts";
import { commandSchema, replySchema, ruleTestSchema } from "./schema.ts";
import { checkSeconds, entriesOf, shapeOf, type FilePart } from "./file-part.ts";

const LONGEST_TEST: Millis = 7 * DAY;

/** Compiles one test; its problems go to the reporter. Undefined if nothing of it can be read. */
export function compileRuleTest(part: FilePart): RuleTest | undefined {
  const { path, reporter } = part;
  const problemsBefore = reporter.problems.length;
  const value = shapeOf(part, ruleTestSchema);
  if (value === undefined) return undefined;
  checkSeconds(reporter, [...path, "every"], value.every);
  const entries = entriesOf(part, "given", value.given);
  const given = entries.map(compileGiven);
  checkNamedOnce(entries, given);
  const expectations = entriesOf(part, "expect", value.expect).flatMap(compileExpectation);
  const end = Math.max(...expectations.map(({ atMs }) => atMs));
  if (end > LONGEST_TEST)
    reporter.report([...path, "expect"], { id: "test/too-long", message: "longer than a week" });
  const entities = given.flatMap((one) => one.entities);
  // With a problem in what is given or expected, not all of it is known.
  const isKnown = reporter.problems.length === problemsBefore;
  const stage = isKnown ? { end, entities } : undefined;
  return {
    name: value.name,
    line: reporter.lineOf(path),
    judgedBy: judgedBy(part, value.rules),
    startsAt: value.start,
    everyMs: value.every,
    staleAfterMs: value.stale_after ?? 3 * value.every,
    mostEntities: value.most_entities,
    mode: value.mode,
    entities,
    polls: given.flatMap(({ polls }) => polls),
    commands: entriesOf(part, "commands", value.commands).flatMap((one) =>
      compileCommand(one).map((command) => checkCommand(one, command, stage)),
    ),
    replies: entriesOf(part, "replies", value.replies).flatMap((one) =>
      compileReply(one).map((reply) => checkReply(one, reply, stage)),
    ),
    expectations: expectations.toSorted((one, other) => one.atMs - other.atMs),
  };
}

function judgedBy({ path, reporter, alerts }: FilePart, names: readonly string[] | undefined) {
  for (const [index, name] of (names ?? []).entries())
    if (alerts?.includes(name) === false)
      reporter.report([...path, "rules", index], unknownAlert("test/unknown-alert", name, alerts));
  return names && new Set(names);
}

const COMMANDS = ["kill", "unkill", "approve", "deny", "release"];

function compileCommand(part: FilePart): ScriptedCommand[] {
  const value = shapeOf(part, commandSchema);
  if (value === undefined) return [];
  const { path, reporter, alerts } = part;
  const { at: atMs, by, kill, unkill, approve, deny, release } = value;
  checkSeconds(reporter, [...path, "at"], atMs);
  const given = { atMs, by };
  const commands: ScriptedCommand[] = [
    ...(kill === undefined ? [] : [{ ...given, name: "kill", reason: kill } as const]),
    ...(unkill === undefined ? [] : [{ ...given, name: "unkill", reason: unkill } as const]),
    ...Object.entries(approve ?? {}).map(
      ([alert, id]) => ({ ...given, name: "approve", alert, id }) as const,
    ),
    ...Object.entries(deny ?? {}).map(
      ([alert, id]) => ({ ...given, name: "deny", alert, id }) as const,
    ),
    ...(release === undefined ? [] : [{ ...given, name: "release", entity: release } as const]),
  ];
  if (commands.length > 1 || (commands.length === 0 && !reporter.isMisspelt(path, COMMANDS)))
    reporter.report(path, {
      id: "test/command",
      message: "a command is one of kill, unkill, approve, deny and release",
      hint: "for example { at: 3m, kill: maintenance }",
    });
  for (const command of commands)
    if ("alert" in command && alerts?.includes(command.alert) === false)
      reporter.report([...path, command.name, command.alert], {
        ...unknownAlert("test/unknown-alert", command.alert, alerts),
        at: "key",
      });
  return commands;
}

function compileReply(part: FilePart): ScriptedReply[] {
  const value = shapeOf(part, replySchema);
  if (value === undefined) return [];
  const { path, reporter } = part;
  const { action, id, outcome, effect, after, times } = value;
  if (outcome === "rejected" && effect === true)
    reporter.report([...path, "effect"], {
      id: "test/bad-value",
      message: "a rejected action has no effect",
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
