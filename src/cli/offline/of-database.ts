import { printJournal } from "./journal-report.ts";
import type { OnProgress } from "../../io/journal/tools.ts";
import { EXIT, interruptedBy, refuse, type CliContext } from "../context.ts";
import { createProgress } from "../print/progress.ts";

/** The commands for a journal in PostgreSQL; what concerns files is left to the database. */
export type OfDatabase = "check" | "info" | "repair" | "backup";

/** Means the database of the config, instead of a directory. */
export const DATABASE = "postgres";

/** What it is called in reports of progress. */
export const THE_DATABASE = "the database";

export async function ofDatabase(
  what: OfDatabase,
  file: string,
  url: string,
  { json }: { readonly json?: true },
  context: CliContext,
): Promise<number> {
  if (what === "repair")
    return refuse(
      context,
      "The journal is in PostgreSQL, which repairs and restores its own files: see its documentation, or copy a backup in (journal copy --from FILE --to postgres).",
    );
  // The driver is loaded only if there is something to ask.
  const { backUpDatabase, copiedText, inspect, summaryOf } = await import("./journal-database.ts");
  if (what === "backup") {
    const made = await withProgress(THE_DATABASE, context, (onProgress) =>
      backUpDatabase(url, file, onProgress),
    );
    if (!made.ok) return refuse(context, made.problem);
    context.print(`${file}: ${made.value.bytes} bytes, ${copiedText(made.value)}`);
    return EXIT.ok;
  }
  const found = await withProgress(THE_DATABASE, context, (onProgress) => inspect(url, onProgress));
  if (!found.ok) return refuse(context, found.problem);
  const { problems, ...info } = found.value;
  const summary = summaryOf(info);
  const ifDamaged = "The journal is damaged: restore a backup of the database.";
  return printJournal(what, { info, summary, problems, ifDamaged }, json === true, context);
}

/**
 * Says how far the work on this is, if it takes long; nothing, if it has no name. Throws at the next report of progress
 * after Ctrl-C, so that the work is rolled back as after any other failure.
 */
export async function withProgress<Value>(
  what: string | undefined,
  context: CliContext,
  work: (onProgress: OnProgress) => Promise<Value>,
): Promise<Value> {
  const progress = createProgress(context);
  const done = await work((stage, how) => {
    if (context.signal.aborted) throw new Error(interruptedBy(context));
    if (what !== undefined) progress.say(`${what}: ${stage} …`, how !== "count");
  });
  progress.end();
  return done;
}
