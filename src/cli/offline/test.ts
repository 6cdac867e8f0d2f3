import { writeFileSync } from "node:fs";
import { actionsByName } from "../../actions/index.ts";
import { renderProblems } from "../../config/problem.ts";
import { counted } from "../../domain/wording.ts";
import { succeed, type Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import { messageOf } from "../../domain/error-message.ts";
import { loadRuleTests } from "../../rule-tests/file/load.ts";
import { readRuleTestFiles, readTextFile, type NamedText } from "../../io/process/files.ts";
import { kinds } from "../../pollers/kinds.ts";
import { casesOf, renderJunit, type FileResult } from "../../rule-tests/report/junit.ts";
import { renderFailures } from "../../rule-tests/report/report.ts";
import { ruleTestsInSlices } from "../../rule-tests/run/run-rule-tests.ts";
import { EXIT, refuse, variable, type CliCommand, type CliContext } from "../context.ts";
import { toEndUnlessInterrupted } from "./interruption.ts";
import { coloured } from "../print/colours.ts";

type TestOptions = { readonly run?: string; readonly junit?: string; readonly json?: true };

/** `aggwatch test`: runs the tests of the rules, on virtual time, by the `step` that decides in the daemon. */
export const testCommand: CliCommand<TestOptions> = {
  name: "test",
  describe: (command) =>
    command
      .description("Runs the tests of rules (*.test.yaml), and says what is not as expected.")
      .argument("[paths...]", "directories or test files (default: AGGWATCH_RULES, or ./rules)")
      .option("--run <text>", "only the tests whose name holds this text")
      .option("--junit <file>", "writes the results as JUnit XML, too")
      .option("--json", "the results as JSON"),
  run: testRules,
};

async function testRules(
  options: TestOptions,
  context: CliContext,
  args: readonly string[],
): Promise<number> {
  const paths = args.length > 0 ? args : [variable(context, "AGGWATCH_RULES") ?? "rules"];
  const files: NamedText[] = [];
  for (const path of paths) {
    const read = readRuleTestFiles(path);
    if (!read.ok) return refuse(context, `${path}: the rule tests cannot be read: ${read.problem}`);
    files.push(...read.value);
  }
  if (files.length === 0)
    return refuse(context, `there are no rule tests (*.test.yaml) in ${paths.join(", ")}`);
  const print = (text: string): void =>
    context.print(context.isColoured === true ? text.split("\n").map(coloured).join("\n") : text);
  const shown = { ...context, print };
  const run = await toEndUnlessInterrupted(runFiles(files, options.run ?? ""), context);
  if (!run.ok) return refuse(context, run.problem);
  const results = run.value;
  const junit = options.junit === undefined || writeJunit(options.junit, results, context);
  if (options.json === true) context.output(JSON.stringify(results.map(resultJson), null, 2));
  else for (const result of results) printFile(result, shown, options.run !== undefined);
  const end = options.json === true ? { ...context, print: () => undefined } : context;
  const passed = summarize(results, end, options.run);
  return junit && passed ? EXIT.ok : EXIT.problem;
}

function* runFiles(
  files: readonly NamedText[],
  part: string,
): Slices<Result<readonly FileResult[], string>> {
  const results: FileResult[] = [];
  for (const file of files) results.push(yield* runFile(file, part));
  return succeed(results);
}

/** Reads and runs one file, as `npm test` does. */
export function* runFile(file: NamedText, part: string): Slices<FileResult> {
  const loaded = loadRuleTests({ file, readText: readTextFile, kinds, actions: actionsByName });
  yield;
  if (!loaded.ok) return { file: file.name, problems: loaded.problem, results: [] };
  return { file: file.name, problems: [], results: yield* ruleTestsInSlices(loaded.value, part) };
}

function resultJson(result: FileResult): Record<string, unknown> {
  const { file, problems } = result;
  const tests = problems.length > 0 ? [] : casesOf(result);
  return {
    file,
    problems,
    tests: tests.map(({ name, failure }) => ({ name, passed: failure === undefined, failure })),
  };
}

function printFile(result: FileResult, context: CliContext, isChosen: boolean): void {
  const { file, problems, results } = result;
  if (problems.length > 0) {
    context.print(`FAILED ${file}`);
    context.complain(renderProblems(problems, context));
    return;
  }
  if (isChosen && results.length === 0) return;
  const failed = results.filter(({ failures }) => failures.length > 0);
  const count = counted(results.length, "test");
  if (failed.length === 0) context.print(`OK     ${file}  ${count}`);
  else context.print(`FAILED ${file}  ${failed.length} of ${count}`);
  for (const one of failed) context.print(renderFailures(file, one));
}

function writeJunit(path: string, results: readonly FileResult[], context: CliContext): boolean {
  try {
    writeFileSync(path, renderJunit(results));
    return true;
  } catch (error) {
    context.complain(`${path} cannot be written: ${messageOf(error)}`);
    return false;
  }
}

function summarize(
  files: readonly FileResult[],
  context: CliContext,
  part: string | undefined,
): boolean {
  const results = files.flatMap((file) => file.results);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const broken = files.filter(({ problems }) => problems.length > 0).length;
  if (results.length === 0 && broken === 0) {
    const which = part === undefined ? "" : ` whose name holds "${part}"`;
    context.complain(`there are no tests${which}`);
    return false;
  }
  const parts = [`${results.length - failed} passed`, `${failed} failed`];
  if (broken > 0) parts.push(`${counted(broken, "file")} with problems`);
  context.print(parts.join(", "));
  return failed === 0 && broken === 0;
}
