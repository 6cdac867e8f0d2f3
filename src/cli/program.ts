import { Command, CommanderError } from "commander";
import { suggest } from "../config/suggest.ts";
import { completionCommand } from "./completion.ts";
import { EXIT, type CliCommand, type CliContext, type Surroundings } from "./context.ts";
import { isColoured, takeColour } from "./print/colours.ts";
import { fitting } from "./print/for-terminal.ts";
import { packageVersion } from "./package-version.ts";

type Loaded = CliCommand<never> | readonly CliCommand<never>[];

/** The operators' commands that are made of one table, under no name of their own. */
const OPERATORS = "";

/**
 * Every command of `aggwatch`, in the order in which `--help` lists them. Most of the time that a short command takes
 * is that of loading modules, so only what was asked for is loaded.
 */
const commands: ReadonlyArray<readonly [name: string, load: () => Promise<Loaded>]> = [
  ["run", async () => (await import("./run.ts")).runCommand],
  ["check", async () => (await import("./check.ts")).checkCommand],
  ["test", async () => (await import("./offline/test.ts")).testCommand],
  ["probe", async () => (await import("./probe/probe.ts")).probeCommand],
  ["backtest", async () => (await import("./offline/backtest.ts")).backtestCommand],
  ["schema", async () => (await import("./schema.ts")).schemaCommand],
  ["demo", async () => (await import("./demo.ts")).demoCommand],
  ["simulator", async () => (await import("./simulator.ts")).simulatorCommand],
  ["simulate", async () => (await import("./simulate.ts")).simulateCommand],
  ["status", async () => (await import("./operate/status.ts")).statusCommand],
  ["top", async () => (await import("./operate/top/top.ts")).topCommand],
  ["alerts", async () => (await import("./operate/alerts.ts")).alertsCommand],
  ["entities", async () => (await import("./operate/entities.ts")).entitiesCommand],
  ["rules", async () => (await import("./operate/rules.ts")).rulesCommand],
  ["remediations", async () => (await import("./operate/remediations.ts")).remediationsCommand],
  ["timeline", async () => (await import("./operate/timeline.ts")).timelineCommand],
  ["approve", async () => (await import("./operate/approve.ts")).approveCommand],
  [OPERATORS, async () => (await import("./operate/commands.ts")).operatorCommands],
  ["watch", async () => (await import("./operate/watch.ts")).watchCommand],
  ["explain", async () => (await import("./operate/explain.ts")).explainCommand],
  ["mcp", async () => (await import("./operate/mcp.ts")).mcpCommand],
  ["journal", async () => (await import("./offline/journal.ts")).journalCommand],
  ["replies", async () => (await import("./offline/replies.ts")).repliesCommand],
  ["notify", async () => (await import("./notify.ts")).notifyCommand],
];

const HELP = "help";

/** As a script asks for it, it should be as quick as a command. */
const VERSION = ["-V", "--version"];

/** The command that is asked for; or all of them, if it is none, as for the help and for suggestions. */
async function loadFor(asked: string | undefined): Promise<readonly CliCommand<never>[]> {
  if (asked !== undefined && VERSION.includes(asked)) return [];
  const own = commands.find(([name]) => name === (asked ?? OPERATORS) && name !== OPERATORS);
  if (own !== undefined) return [await own[1]()].flat();
  const operators = commands.find(([name]) => name === OPERATORS);
  const one = [(await operators?.[1]()) ?? []].flat().find(({ name }) => name === asked);
  if (one !== undefined) return [one];
  return (await Promise.all(commands.map(([, load]) => load()))).flat();
}

const COLOUR_HELP =
  "\nEvery command takes --color auto, always or never. By default, there are\ncolours on a terminal, unless NO_COLOR is set.";

/** What commands write to; the width is asked for again each time. */
function contextOf(surroundings: Surroundings, coloured: boolean): CliContext {
  const { print, complain } = surroundings;
  const width = (): number | undefined => surroundings.width;
  return {
    ...surroundings,
    isColoured: coloured,
    get width() {
      return width();
    },
    print: fitting(print, width),
    complain: fitting(complain, width),
    output: print,
  };
}

/** As an option: of the command `help`, Commander takes what `process.exitCode` is meanwhile for the outcome. */
function withHelpOption(args: readonly string[], program: Command): readonly string[] {
  const [first, asked = HELP] = args;
  if (first !== HELP) return args;
  if (asked === HELP) return ["--help"];
  const isKnown = program.commands.some((command) => command.name() === asked);
  return isKnown ? [asked, "--help"] : [asked];
}

/** `--config "$CONFIG"` of a variable that is not set: without its file, the command would do something else. */
function refuseEmptyFiles(command: Command): void {
  const empty = command.options.find(
    (option) =>
      option.flags.endsWith("<file>") && command.getOptionValue(option.attributeName()) === "",
  );
  if (empty === undefined) return;
  command.error(`error: option '${empty.flags}' argument '' is invalid. It must name a file.`);
}

/** What there is to say of a line that a command does not take; `args` are those after its name. */
function hintsOf({ name, hint }: CliCommand<never>, own: Command, args: readonly string[]): string {
  const known = own.options.map(({ long }) => long ?? "");
  const unknown = args.find(
    (arg) => arg.startsWith("--") && suggest(arg.split("=")[0] ?? "", known) === undefined,
  );
  const more = hint === undefined ? "" : `; ${hint(unknown?.slice(2).split("=")[0])}`;
  const file = known.includes("--config") ? fileAlone(args) : undefined;
  const lines = [
    ...(file === undefined ? [] : [`(Did you mean --config ${file}?)`]),
    `(aggwatch ${name} --help says what it takes${more})`,
  ];
  return lines.join("\n");
}

/** A config file that is given without its option, as other programs take theirs. */
function fileAlone(args: readonly string[]): string | undefined {
  return args.find(
    (arg, index) => /^[^-].*\.ya?ml$/.test(arg) && args[index - 1]?.startsWith("-") !== true,
  );
}

/** Runs one command line and returns its exit code. `args` are those after the program's name. */
export async function runProgram(
  line: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  let exitCode: number = EXIT.ok;
  const taken = takeColour(line);
  if (!taken.ok) {
    surroundings.complain(taken.problem);
    return EXIT.usage;
  }
  const { when, rest: args } = taken.value;
  const context = contextOf(surroundings, isColoured(when, surroundings));
  const program = new Command("aggwatch")
    .description("A watchdog for trading aggregators.")
    .version(packageVersion(), VERSION.join(", "), "print the version")
    .showSuggestionAfterError()
    .showHelpAfterError("(aggwatch --help lists the commands)")
    .addHelpText("after", COLOUR_HELP)
    // With their arguments, the terms leave too little room at 80 columns for anything to be wrapped.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.complain(text.trimEnd()),
      getOutHelpWidth: () => context.width ?? 80,
      getErrHelpWidth: () => context.width ?? 80,
    });
  const asked = args[0] === HELP ? args[1] : args[0];
  for (const command of [...(await loadFor(asked)), completionCommand(program)]) {
    const own = command.describe(program.command(command.name));
    own.showHelpAfterError(hintsOf(command, own, args.slice(1)));
    own.action(async () => {
      refuseEmptyFiles(own);
      exitCode = await command.run(own.opts(), context, own.args);
    });
  }
  try {
    await program.parseAsync(withHelpOption(args, program), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exitCode;
}
