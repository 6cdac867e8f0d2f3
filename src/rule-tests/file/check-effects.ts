import { formatDuration, type Millis } from "../../domain/time.ts";
import { hintFor } from "../../config/suggest.ts";
import type { FilePart } from "./file-part.ts";
import type { ScriptedCommand, ScriptedEntity, ScriptedReply } from "./rule-test.ts";

/** What a test says of its end, and of its entities. */
type Stage = { readonly end: Millis; readonly entities: readonly ScriptedEntity[] };

/** A command that comes after the end, or is about nothing that is given, has no effect: nothing is tested by it. */
export function checkCommand(
  { path, reporter }: FilePart,
  command: ScriptedCommand,
  stage: Stage | undefined,
): ScriptedCommand {
  if (stage === undefined) return command;
  const { end, entities } = stage;
  if (command.atMs > end)
    reporter.report([...path, "at"], {
      id: "test/never-reached",
      message: `the test ends before that, with what it expects at ${formatDuration(end)}`,
    });
  if ("alert" in command) {
    const known = entities.map(({ id }) => id);
    reportAbsent({ path: [...path, command.name, command.alert], reporter }, command.id, known);
  }
  if ("entity" in command) {
    const known = entities.map(({ kind, id }) => `${kind}/${id}`);
    reportAbsent({ path: [...path, "release"], reporter }, command.entity, known);
  }
  return command;
}

/** The same for a reply to an action on an entity that is not there. */
export function checkReply(
  { path, reporter }: FilePart,
  reply: ScriptedReply,
  stage: Stage | undefined,
): ScriptedReply {
  const { id } = reply;
  if (stage === undefined || id === undefined) return reply;
  const known = stage.entities.map((one) => one.id);
  reportAbsent({ path: [...path, "id"], reporter }, id, known);
  return reply;
}

function reportAbsent(
  { path, reporter }: Pick<FilePart, "path" | "reporter">,
  name: string,
  known: readonly string[],
): void {
  if (known.includes(name)) return;
  reporter.report(path, {
    id: "test/unknown-entity",
    message: `"${name}" is not given in this test`,
    hint: hintFor(name, known),
  });
}
