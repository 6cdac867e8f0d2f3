import { describe, expect, it } from "vitest";
import { renderProblem, renderProblems } from "../../src/config/problem.ts";
import type { Problem } from "../../src/config/problem.ts";

const problem: Problem = {
  id: "rule/unknown-fact",
  file: "rules/pairs.yaml",
  line: 7,
  column: 20,
  length: 6,
  message: 'unknown fact "statsu" for kind "pair"',
  hint: 'did you mean "status"?',
  within: 'group "pairs", rule "PairDisabled"',
  excerpt: '        when: pair.statsu == "disabled"',
};

describe("renderProblem", () => {
  it("shows the place, the line with a mark, the hint and what is around", () => {
    expect(renderProblem(problem)).toBe(
      [
        'rules/pairs.yaml:7:20: error: unknown fact "statsu" for kind "pair" (rule/unknown-fact)',
        '   7 |         when: pair.statsu == "disabled"',
        "     |                    ^^^^^^",
        '      did you mean "status"?',
        '      in group "pairs", rule "PairDisabled"',
      ].join("\n"),
    );
  });

  it("names a variable or a flag without a position", () => {
    const text = renderProblem({
      id: "config/bad-value",
      file: "AGGWATCH_LISTEN",
      line: 0,
      column: 0,
      message: "must be a host and a port",
    });
    expect(text).toBe("AGGWATCH_LISTEN: error: must be a host and a port (config/bad-value)");
  });

  it("keeps the mark below a place far to the right, and below tabs", () => {
    const excerpt = `\t${"x".repeat(300)}WRONG`;
    const [, line = "", mark = ""] = renderProblem({
      ...problem,
      excerpt,
      column: excerpt.indexOf("WRONG") + 1,
      length: 5,
    }).split("\n");
    expect(line.length).toBeLessThan(160);
    expect(mark.indexOf("^^^^^")).toBe(line.indexOf("WRONG"));
    expect(renderProblem({ ...problem, excerpt: "\ta: b", column: 5, length: 1 })).toContain(
      "     | \t   ^",
    );
  });

  it("lets no escape sequence of a config reach the terminal", () => {
    const shown = renderProblem({
      ...problem,
      message: "\u001b[2Jgone",
      excerpt: "\u001b]0;x\u0007",
    });
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(shown).not.toMatch(/[\u001b\u0007]/);
  });
});

describe("renderProblems", () => {
  it("sorts by file and place, and counts", () => {
    const text = renderProblems([
      { ...problem, file: "b", line: 1 },
      { ...problem, file: "a", line: 9 },
      { ...problem, file: "a", line: 2 },
    ]);
    const places = text.split("\n").filter((line) => line.includes("error:"));
    expect(places.map((line) => line.split(": ")[0])).toEqual(["a:2:20", "a:9:20", "b:1:20"]);
    expect(text.endsWith("3 problems")).toBe(true);
    expect(renderProblems([problem]).endsWith("\n1 problem")).toBe(true);
  });

  it.each(["warning", "note"] as const)(
    "shows each %s that says the same as one, with all places",
    (severity) => {
      const note = { ...problem, severity, message: "nothing is watched" };
      const text = renderProblems([
        note,
        { ...note, line: 17, excerpt: "        when: another" },
        { ...note, file: "rules/swaps.yaml", line: 9, message: "something else is not watched" },
        { ...note, file: "rules/swaps.yaml", line: 3 },
        { ...problem, line: 40 },
        { ...problem, line: 41 },
      ]);
      const heads = text.split("\n").filter((line) => line.startsWith("rules/"));
      expect(heads.map((line) => line.split(" ")[0])).toEqual([
        "rules/pairs.yaml:7:20:",
        "rules/pairs.yaml:40:20:",
        "rules/pairs.yaml:41:20:",
        "rules/swaps.yaml:9:20:",
      ]);
      expect(text).toContain(
        "\n      the same at rules/pairs.yaml:17:20, rules/swaps.yaml:3:20\nrules/pairs.yaml:40",
      );
      expect(text.endsWith(`2 problems, 4 ${severity}s`)).toBe(true);
    },
  );
});
