import { Argument } from "commander";
import { counted } from "../../domain/wording.ts";
import { succeed } from "../../domain/result.ts";
import { MINUTE, type Millis } from "../../domain/time.ts";
import { BACKUP_PATH, backupAnswer } from "../../io/api/backup.ts";
import { systemClock } from "../../io/process/clock.ts";
import { salvageJournal } from "../../io/journal/salvage/salvage.ts";
import { checkJournal, copyJournal, type JournalInfo } from "../../io/journal/tools.ts";
import { EXIT, extraIn, flagsOf, refuse, type CliCommand, type CliContext } from "../context.ts";
import { databaseUrl, dataDirectory } from "./journal-place.ts";
import { isPlainFile, JOURNAL_FILE, journalBytes, journalFileAt } from "../../io/journal/file.ts";
import { toEndUnlessInterrupted } from "./interruption.ts";
import { findingsText, howToUse, instantText, printJournal, rowsText } from "./journal-report.ts";
import { DATABASE, ofDatabase, THE_DATABASE, withProgress } from "./of-database.ts";
import { askAndPrint, TOKEN_FILE_OPTION, type ClientOptions } from "../operate/client.ts";
import { urlOption } from "../operate/url-option.ts";

type JournalOptions = ClientOptions & {
  readonly config?: string;
  readonly data?: string;
  readonly from?: string;
  readonly to?: string;
};

const WHATS = ["check", "info", "repair", "backup", "copy"] as const;
type What = (typeof WHATS)[number];

/** What each of them takes. */
const TAKES: Readonly<Record<What | "backup --url", readonly string[]>> = {
  check: ["--config", "--data", "--json"],
  info: ["--config", "--data", "--json"],
  repair: ["--config", "--data"],
  backup: ["FILE", "--config", "--data"],
  "backup --url": ["--url", "--token-file", "--json"],
  copy: ["--config", "--from", "--to"],
};

const HELP = `
  check         says what is wrong with the journal of a stopped aggwatch; exit
                code 1 if anything is
  info          schema, counts and instants of it
  repair        saves what can be read of a damaged one into a new file
                beside it
  backup FILE   copies the journal of a stopped aggwatch into a new file
  backup --url  asks a running one for a copy, which it writes into its own
                DATA/backups
  copy          moves a journal between a data directory and PostgreSQL:
                --from PATH --to postgres, or --from postgres --to DIR;
                aggwatch must be stopped, and the source stays as it is; PATH
                may also be a backup, a file

If the config has journal.postgres (or AGGWATCH_DATABASE_URL is set) and --data
is not given, this is about that database; check, info and backup then also work
while aggwatch runs.
`;

/** `aggwatch journal`: checks, repairs and backs up the journal. */
export const journalCommand: CliCommand<JournalOptions> = {
  name: "journal",
  describe: (command) =>
    urlOption(
      command
        .description("Checks, repairs and backs up the journal.")
        .addArgument(new Argument("<what>", "what to do").choices(WHATS))
        .argument("[file]", "where the backup goes")
        .option("--config <file>", "the config file, which says where the data directory is")
        .option(
          "--data <path>",
          "the data directory (default: the config's, or ./data); check, info: or a backup of its journal",
        )
        .option("--from <path>", "copy: a data directory, a backup of its journal, or `postgres`")
        .option("--to <directory>", "copy: a data directory, or `postgres`"),
      "a running aggwatch, for its backup",
    )
      .option("--json", "check, info, backup --url: prints JSON")
      .option(...TOKEN_FILE_OPTION)
      .addHelpText("after", HELP),
  run: async (options, context, [given, file = ""]) => {
    const what = given as What;
    const problem = lineProblem(what, file, options);
    if (problem !== undefined) return refuse(context, problem, EXIT.usage);
    if (what === "copy") return await copy(options, context);
    if (options.url !== undefined) return await backupOfRunning(options, context);
    // With --data, it does not matter what is wrong with the database.
    const database =
      options.data === undefined ? databaseUrl(options.config, context) : succeed(undefined);
    if (!database.ok) return refuse(context, database.problem);
    if (database.value !== undefined)
      return await ofDatabase(what, file, database.value, options, context);
    const found = dataDirectory(options, context);
    if (!found.ok) return refuse(context, found.problem);
    const directory = found.value;
    switch (what) {
      case "check":
      case "info":
        return await inspect(what, directory, options, context);
      case "repair":
        return await repair(directory, context);
      case "backup":
        return await backup(file, directory, context);
    }
  },
};

/** What is wrong with the line itself. */
function lineProblem(what: What, file: string, options: JournalOptions): string | undefined {
  const isUrl = options.url !== undefined;
  if (what === "backup" && (file === "") === !isUrl)
    return "Say FILE, to copy the journal of a stopped aggwatch, or --url, to ask a running one for a copy in its own DATA/backups.";
  const call = what === "backup" && isUrl ? "backup --url" : what;
  const given = [...(file === "" ? [] : ["FILE"]), ...flagsOf(options)];
  return extraIn(`journal ${call}`, given, TAKES[call]);
}

async function copy(options: JournalOptions, context: CliContext): Promise<number> {
  const { from = "", to = "" } = options;
  if (from === "" || to === "" || (from === DATABASE) === (to === DATABASE))
    return refuse(
      context,
      "Say --from PATH --to postgres, or --from postgres --to DIRECTORY.",
      EXIT.usage,
    );
  const database = databaseUrl(options.config, context);
  if (!database.ok) return refuse(context, database.problem);
  if (database.value === undefined)
    return refuse(
      context,
      "Say which database: journal.postgres of the config (--config), or AGGWATCH_DATABASE_URL.",
    );
  const tools = await import("./journal-database.ts");
  const copied =
    to === DATABASE
      ? await withProgress(large(journalBytes(from)), context, (onProgress) =>
          tools.copyIntoDatabase(from, database.value ?? "", onProgress),
        )
      : await withProgress(THE_DATABASE, context, (onProgress) =>
          tools.copyIntoDirectory(database.value ?? "", to, onProgress),
        );
  if (!copied.ok) return refuse(context, copied.problem);
  context.print(`${from} was copied to ${to}: ${tools.copiedText(copied.value)}.`);
  return EXIT.ok;
}

async function inspect(
  what: "check" | "info",
  path: string,
  { json }: JournalOptions,
  context: CliContext,
): Promise<number> {
  const file = journalFileAt(path);
  const checked = await withProgress(large(journalBytes(path)), context, (onProgress) =>
    toEndUnlessInterrupted(checkJournal(path, onProgress), context),
  );
  if (!checked.ok) return refuse(context, checked.problem);
  const { info, problems, isNewer } = checked.value;
  const ifDamaged = isPlainFile(path)
    ? `${file} is damaged. In a data directory, as its ${JOURNAL_FILE}, \`aggwatch journal repair\` saves what can be read.`
    : `${file} is damaged. \`aggwatch journal repair --data ${path}\` saves what can be read.`;
  const summary = info === undefined ? [] : summaryOf(info);
  return printJournal(
    what,
    { info, summary, problems, ifDamaged: isNewer ? undefined : ifDamaged },
    json === true,
    context,
  );
}

function summaryOf(info: JournalInfo): readonly string[] {
  return [
    `${info.file}: ${info.bytes} bytes, schema ${info.schema}`,
    `${rowsText(info)}, last written ${instantText(info.lastAt)}`,
    findingsText(info),
  ];
}

async function repair(directory: string, context: CliContext): Promise<number> {
  const saved = await withProgress(large(journalBytes(directory)), context, (onProgress) =>
    toEndUnlessInterrupted(salvageJournal(directory, systemClock().now(), onProgress), context),
  );
  if (!saved.ok) return refuse(context, saved.problem);
  const { file, rows, findings, lost } = saved.value;
  context.print(
    `${file}: ${counted(rows, "row")} of state and ${counted(findings, "finding")} were saved.`,
  );
  if (lost.length === 0) context.print("Nothing is lost.");
  else {
    context.print("Lost:");
    for (const line of lost) context.print(`  ${line}`);
    context.print(
      "As something is lost, the kill switch is on in it: aggwatch alerts and sends no action until it is released.",
    );
  }
  context.print(howToUse(directory));
  return EXIT.ok;
}

/** A journal of this size takes seconds, so progress is shown. */
const LARGE = 32 * 1024 * 1024;

/** What a large journal is called in reports of progress; a small one needs none. */
function large(bytes: number): string | undefined {
  return bytes < LARGE ? undefined : `journal of ${Math.round(bytes / 1024 / 1024)} MiB`;
}

/** Copying a large journal takes a while. Node's `fetch` waits no longer for the head of a reply. */
const BACKUP_WITHIN: Millis = 5 * MINUTE;

async function backup(file: string, directory: string, context: CliContext): Promise<number> {
  const copied = await withProgress(large(journalBytes(directory)), context, (onProgress) =>
    toEndUnlessInterrupted(copyJournal(directory, file, onProgress), context),
  );
  if (!copied.ok) return refuse(context, copied.problem);
  context.print(`${file}: ${copied.value} bytes`);
  return EXIT.ok;
}

async function backupOfRunning(options: JournalOptions, context: CliContext): Promise<number> {
  const call = { method: "POST", path: BACKUP_PATH, withinMs: BACKUP_WITHIN } as const;
  return askAndPrint(call, backupAnswer, options, context, (made) => [
    `${made.file}: ${made.bytes} bytes`,
  ]);
}
