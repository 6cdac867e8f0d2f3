import type { Result } from "../../domain/result.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { pause } from "../../io/process/pause.ts";
import { EXIT, type CliContext } from "../context.ts";
import { coloured } from "../print/colours.ts";
import { forTerminal, HOME } from "../print/for-terminal.ts";
import { plain } from "../table.ts";

export const WATCH_EVERY: Millis = 2 * SECOND;

/** A reply as lines for people; the problem is that it lacks what was asked for. */
export type Lines = readonly string[] | { readonly problem: string };

export type LinesOf<Reply> = (
  reply: Reply,
  width: number | undefined,
) => Lines | Promise<readonly string[]>;

type Printed = { readonly lines: Lines; readonly json?: unknown };

/** Prints what one or several calls replied, as JSON or as lines; returns the exit code. Watching, it asks again and again. */
export async function printAll(
  ask: () => Promise<Result<Printed, string>>,
  { watch, json }: { readonly watch?: true | undefined; readonly json?: true },
  context: CliContext,
): Promise<number> {
  const printOnce = async (): Promise<number> => {
    const asked = await ask();
    // Ctrl-C is how watching ends, so it is no failure.
    if (watch === true && context.signal.aborted) return EXIT.ok;
    // What was shown last stays until then, however long the daemon takes.
    if (watch === true && context.isTerminal) context.print(HOME);
    if (!asked.ok) return complainOf(asked.problem, context);
    const { lines } = asked.value;
    if ("problem" in lines) return complainOf(lines.problem, context);
    if (json === true) context.output(JSON.stringify(asked.value.json, undefined, 2));
    else for (const line of lines) printLine(line, context);
    return EXIT.ok;
  };
  if (watch !== true) return printOnce();
  while (!context.signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await printOnce();
    // oxlint-disable-next-line no-await-in-loop -- the same
    await pause(WATCH_EVERY, context.signal);
  }
  return EXIT.ok;
}

function printLine(line: string, context: CliContext): void {
  eachFitting(line, context, (one) =>
    context.print(context.isColoured === true ? coloured(one) : one),
  );
}

/** Says a problem on standard error, within the terminal. */
export function complainOf(problem: string, context: CliContext): number {
  for (const line of problem.split("\n")) eachFitting(line, context, context.complain);
  return EXIT.problem;
}

/** Text of an aggregator must not control the terminal, and so is made plain before anything else. */
function eachFitting(line: string, { width }: CliContext, say: (line: string) => void): void {
  const text = plain(line);
  for (const one of width === undefined ? [text] : forTerminal(text, width)) say(one);
}
