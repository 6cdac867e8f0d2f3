import { LineCounter, parseDocument, type Document } from "yaml";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { problemLine, problemsOf } from "../../domain/values/shape-problems.ts";
import { scenarioSchema, type Scenario } from "./scenario-schema.ts";
import { createSimulator } from "../simulator.ts";
import { messageOf } from "../../domain/error-message.ts";

/**
 * Reads a scenario from YAML, or gives all its problems, each as `file:line:col: path: message`. A valid scenario is
 * also run once, so that a step that fails (it names an unknown exchange) is a problem before anything is served.
 */
export function parseScenario(text: string, file: string): Result<Scenario, readonly string[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0)
    return fail(document.errors.map((error) => `${place(error.pos[0])}: ${error.message}`));
  const value = readValue(document);
  if (!value.ok) return fail([`${place(0)}: ${value.problem}`]);
  const read = scenarioSchema.safeParse(value.value);
  if (!read.success) {
    return fail(
      read.error.issues
        .flatMap(problemsOf)
        .map(
          (problem) =>
            `${place(offsetOf(document, problem.path))}: ${problemLine(problem, "scenario")}`,
        ),
    );
  }
  const problems = rehearse(read.data).map(
    ({ index, problem }) =>
      `${place(offsetOf(document, ["steps", index]))}: steps.${index}: ${problem}`,
  );
  return problems.length > 0 ? fail(problems) : succeed(read.data);
}

function readValue(document: Document): Result<unknown, string> {
  try {
    return succeed(document.toJS({ maxAliasCount: 100 }));
  } catch (error) {
    // The library throws at an alias bomb, and at an alias without an anchor.
    return fail(messageOf(error));
  }
}

/** The offset of a path in the text, or of its nearest parent that exists. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    const range: unknown =
      typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
    if (Array.isArray(range) && typeof range[0] === "number") return range[0];
  }
  return 0;
}

type FailedStep = { readonly index: number; readonly problem: string };

function rehearse(scenario: Scenario): readonly FailedStep[] {
  const failed: FailedStep[] = [];
  let now = 0;
  const simulator = createSimulator({
    seed: scenario.seed ?? 1,
    clock: { now: () => now },
    scenario,
    onStep: ({ index, problem }) => {
      if (problem !== undefined) failed.push({ index, problem });
    },
  });
  now = Math.max(0, ...scenario.steps.map((step) => step.at));
  simulator.advance();
  return failed;
}
