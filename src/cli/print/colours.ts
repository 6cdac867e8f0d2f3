import { COVERS_NOTHING } from "../../domain/hold.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { CliContext } from "../context.ts";

/** Colours add no information: they only draw the eye to the worst. */

export const COLOUR_WHENS = ["auto", "always", "never"] as const;
type ColourWhen = (typeof COLOUR_WHENS)[number];

/** Takes `--color WHEN` out of a command line, wherever it is; it is an option of every command. */
export function takeColour(
  args: readonly string[],
): Result<{ readonly when: ColourWhen; readonly rest: readonly string[] }, string> {
  const rest: string[] = [];
  let when: string = "auto";
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    // What follows it is an argument, whatever it looks like.
    if (arg === "--") return finish(when, [...rest, ...args.slice(index)]);
    if (arg === "--no-color") when = "never";
    else if (arg.startsWith("--color=")) when = arg.slice("--color=".length);
    else if (arg === "--color") {
      index += 1;
      when = args[index] ?? "";
    } else rest.push(arg);
  }
  return finish(when, rest);
}

function finish(text: string, rest: readonly string[]) {
  const when = COLOUR_WHENS.find((one) => one === text);
  if (when !== undefined) return succeed({ when, rest });
  return fail(`--color "${text}": it must be ${COLOUR_WHENS.join(", ")}`);
}

/** As https://no-color.org says, NO_COLOR with any value turns colours off, unless `--color` asks for them. */
export function isColoured(
  when: ColourWhen,
  { env, isTerminal }: Pick<CliContext, "env" | "isTerminal">,
): boolean {
  if (when !== "auto") return when === "always";
  return isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

const RED = 31;
const GREEN = 32;
const YELLOW = 33;

const BY_WORD: Readonly<Record<string, number>> = {
  firing: RED,
  critical: RED,
  bad: RED,
  rejected: RED,
  killed: RED,
  stopped: RED,
  BLIND: RED,
  [COVERS_NOTHING]: RED,
  error: RED,
  FAILED: RED,
  VIOLATED: RED,
  pending: YELLOW,
  warning: YELLOW,
  unknown: YELLOW,
  unverified: YELLOW,
  in_doubt: YELLOW,
  ok: GREEN,
  OK: GREEN,
  verified: GREEN,
};

/** A word in the place of a state: in its own cell, behind a count, or before a colon or the name of what failed. */
const WORD = new RegExp(
  `(^|  |\\d |: |; it )(${Object.keys(BY_WORD).join("|")})(?=$|  |,|: | \\(|(?<=FAILED|VIOLATED) )`,
  "g",
);

/** The heads of a table: two words in capitals, or more. */
const HEADS = /^[A-Z][A-Z ]+  [A-Z ]+$/;

/** A line for a terminal. It has no control characters before that. */
export function coloured(line: string): string {
  if (HEADS.test(line)) return `\u001B[2m${line}\u001B[22m`;
  return line.replaceAll(
    WORD,
    (_, before: string, word: string) =>
      `${before}\u001B[${BY_WORD[word] ?? RED}m${word}\u001B[39m`,
  );
}
