import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { counted, snakeCase } from "../../domain/wording.ts";
import { JOURNAL_FILE, LOG_SUFFIX } from "../../io/journal/file.ts";
import { EXIT, refuse, type CliContext } from "../context.ts";

/** What `journal check` and `journal info` print, whether the journal is a file or in PostgreSQL. */

type Inspected = {
  /** Undefined if it is too damaged to be read. */
  readonly info: Counts | undefined;
  /** The same for people. */
  readonly summary: readonly string[];
  readonly problems: readonly string[];
  /** What to say below the problems; undefined if they need no more words. */
  readonly ifDamaged: string | undefined;
};

/** What is counted in every journal. */
type Counts = {
  /** Rows of state, by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly findings: number;
  readonly oldestFinding: Instant | undefined;
  readonly newestFinding: Instant | undefined;
};

/** Prints it, and returns the exit code. */
export function printJournal(
  what: "check" | "info",
  { info, summary, problems, ifDamaged }: Inspected,
  isJson: boolean,
  context: CliContext,
): number {
  const print = isJson ? () => undefined : context.print;
  if (isJson) context.output(journalJson(info ?? {}, problems));
  for (const line of summary) print(line);
  if (what === "info" && info !== undefined) {
    for (const [table, count] of Object.entries(info.rows)) print(`  ${table}: ${count}`);
    const [problem] = problems;
    if (problem !== undefined)
      context.complain(`${problem}\n\`aggwatch journal check\` says all that is wrong.`);
    return EXIT.ok;
  }
  for (const problem of problems) context.complain(problem);
  if (problems.length === 0) {
    print("ok");
    return EXIT.ok;
  }
  if (ifDamaged === undefined) return EXIT.problem;
  return refuse(context, ifDamaged);
}

export function rowsText({ rows }: Pick<Counts, "rows">): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${counted(total, "row")} of state`;
}

export function findingsText({ findings, oldestFinding, newestFinding }: Counts): string {
  const range = `from ${instantText(oldestFinding)} to ${instantText(newestFinding)}`;
  return `${counted(findings, "finding")}, ${range}`;
}

export function instantText(at: Instant | undefined): string {
  return at === undefined ? "never" : formatInstant(at);
}

/** For scripts: names and instants as those of the API. */
function journalJson(info: object, problems: readonly string[]): string {
  const entries = Object.entries({ ...info, problems }).map(([key, value]) => [
    snakeCase(key),
    INSTANTS.has(key) && typeof value === "number" ? formatInstant(value) : named(value),
  ]);
  return JSON.stringify(Object.fromEntries(entries), undefined, 2);
}

const INSTANTS: ReadonlySet<string> = new Set(["oldestFinding", "newestFinding", "lastAt"]);

function named(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [snakeCase(key), one]));
}

/** How a repaired journal is put in its place; what is there may be the file or its log alone. */
export function howToUse(directory: string): string {
  const there = [JOURNAL_FILE, `${JOURNAL_FILE}${LOG_SUFFIX}`].filter((name) =>
    existsSync(join(directory, name)),
  );
  const away = `move ${join(directory, there.join(" and "))} away${there.length > 1 ? ", both" : ""}`;
  return `To use it, ${away}, and give it the name ${JOURNAL_FILE}.`;
}
