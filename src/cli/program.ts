import { Command, CommanderError } from "commander";
import { backtestCommand } from "./offline/backtest.ts";
import { checkCommand } from "./check.ts";
import { completionCommand } from "./completion.ts";
import type { CliCommand, CliContext } from "./context.ts";
import { EXIT } from "./context.ts";
import { demoCommand } from "./demo.ts";
import { journalCommand } from "./offline/journal.ts";
import { notifyCommand } from "./notify.ts";
import { packageVersion, runCommand } from "./run.ts";
import { probeCommand } from "./probe/probe.ts";
import { repliesCommand } from "./offline/replies.ts";
import { schemaCommand } from "./schema.ts";
import { statusCommand } from "./operate/status.ts";
import { approveCommand } from "./operate/approve.ts";
import { alertsCommand } from "./operate/alerts.ts";
import { operatorCommands } from "./operate/commands.ts";
import { rulesCommand } from "./operate/rules.ts";
import { remediationsCommand } from "./operate/remediations.ts";
import { watchCommand } from "./operate/watch.ts";
import { explainCommand } from "./operate/explain.ts";
import { simulateCommand } from "./simulate.ts";
import { simulatorCommand } from "./simulator.ts";
import { testCommand } from "./offline/test.ts";

/** Every command of `aggwatch`, in the order in which `--help` lists them. */
const commands: ReadonlyArray<CliCommand<never>> = [
  runCommand,
  checkCommand,
  testCommand,
  probeCommand,
  backtestCommand,
  schemaCommand,
  demoCommand,
  simulatorCommand,
  simulateCommand,
  statusCommand,
  alertsCommand,
  rulesCommand,
  remediationsCommand,
  approveCommand,
  ...operatorCommands,
  watchCommand,
  explainCommand,
  journalCommand,
  repliesCommand,
  notifyCommand,
];

/** Runs one command line and returns its exit code. `args` are those after the program's name. */
export async function runProgram(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = new Command("aggwatch")
    .description("A watchdog for trading aggregators.")
    .version(packageVersion(), "-V, --version", "print the version")
    .showSuggestionAfterError()
    .showHelpAfterError("(aggwatch --help lists the commands and their options)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.complain(text.trimEnd()),
    });
  for (const command of [...commands, completionCommand(program)]) {
    const own = command.describe(program.command(command.name));
    own.action(async () => {
      exitCode = await command.run(own.opts(), context, own.args);
    });
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exitCode;
}
