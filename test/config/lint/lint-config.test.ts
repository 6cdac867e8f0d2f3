import { describe, expect, it } from "vitest";
import { lintConfig } from "../../../src/config/lint/lint-config.ts";
import { ignoresOf } from "../../../src/config/yaml/ignore-comments.ts";
import { readYamlSource } from "../../../src/config/yaml/yaml-source.ts";

const lint = (id: string, line: number, file = "c.yaml") => ({
  severity: "warning" as const,
  id,
  file,
  line,
  column: line === 0 ? 0 : 1,
  message: id,
});

/** What is left of some lints, as `line id`. */
function left(text: string, lints: ReadonlyArray<ReturnType<typeof lint>>, isSure = true) {
  const source = readYamlSource("c.yaml", text);
  if (!source.ok) throw new Error("the text is no YAML");
  const { problems, ignored } = lintConfig(lints, ignoresOf(source.value), isSure);
  return {
    problems: problems.map(({ id, line }) => `${line} ${id}`),
    ignored,
    problem: problems[0],
  };
}

const CLEAR = "lint/secret-in-clear";
const IGNORE = `# aggwatch-ignore ${CLEAR}: a bridge`;

describe("an ignore comment of the config", () => {
  it.each([
    ["on the line of the lint", `a: 1 ${IGNORE}\nb: 2\n`],
    ["right before it", `${IGNORE}\na: 1\n`],
    ["with more comments between", `${IGNORE}\n# more\na: 1\n`],
  ])("takes a lint off: %s", (_, text) => {
    const line = text.split("\n").findIndex((one) => one.startsWith("a:")) + 1;
    expect(left(text, [lint(CLEAR, line)])).toMatchObject({ problems: [], ignored: 1 });
  });

  it("is about its own line alone, and about the config file alone", () => {
    const text = `a: 1 ${IGNORE}\nb: 2\n`;
    expect(left(text, [lint(CLEAR, 1), lint(CLEAR, 2)])).toMatchObject({
      problems: [`2 ${CLEAR}`],
      ignored: 1,
    });
    expect(left(text, [lint(CLEAR, 1), lint(CLEAR, 1, "VARIABLE")]).problems).toEqual([
      `1 ${CLEAR}`,
    ]);
  });

  it("takes off no problem that has another kind of id", () => {
    const id = "config/renamed-key";
    expect(left(`a: 1 # aggwatch-ignore ${id}: later\n`, [lint(id, 1)]).problems).toEqual([
      "1 config/renamed-key",
      "1 lint/unknown-ignore",
    ]);
  });

  it("is said to have no effect only if nothing else is wrong", () => {
    expect(left(`a: 1 ${IGNORE}\n`, []).problems).toEqual(["1 lint/unused-ignore"]);
    expect(left(`a: 1 ${IGNORE}\n`, [], false).problems).toEqual([]);
  });

  it("is shown without the line, which may hold a secret", () => {
    const { problem } = left(`pin: 1234 ${IGNORE}\n`, []);
    expect(problem).toMatchObject({ id: "lint/unused-ignore", line: 1 });
    expect(problem?.excerpt).toBeUndefined();
  });
});
