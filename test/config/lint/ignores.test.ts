import { describe, expect, it } from "vitest";
import { lint, places, ruleText } from "./lint-text.ts";

const bare = ruleText({ annotations: undefined });
const NO_RUNBOOK = "lint/no-runbook";

/** Puts a line before the one that holds a text. */
function before(text: string, part: string, line: string): string {
  return text.replace(part, `${line}\n${part}`);
}

describe("an ignore comment", () => {
  const comment = `# aggwatch-ignore ${NO_RUNBOOK}: it goes away next week`;

  it.each([
    ["right before the rule", before(bare, "      - alert", `      ${comment}`)],
    [
      "some comment lines before it",
      before(bare, "      - alert", `      ${comment}\n      # more`),
    ],
    ["on its first line", bare.replace("alert: A", `alert: A ${comment}`)],
    ["within it", before(bare, "        for", `        ${comment}`)],
    ["on its last line", bare.replace("for: 2m", `for: 2m ${comment}`)],
  ])("takes a lint off: %s", (_, text) => {
    expect(lint([text])).toEqual({ problems: [], ignored: 1 });
  });

  it("belongs to one rule", () => {
    const two = `${bare}      - alert: B\n        each: pool\n        when: pool.base > 1\n        for: 5m\n`;
    expect(places(lint([before(two, "      - alert: B", `      ${comment}`)]))).toEqual([
      `4:16 ${NO_RUNBOOK}`,
    ]);
    expect(places(lint([before(two, "      - alert: A", `      ${comment}`)]))).toEqual([
      `9:16 ${NO_RUNBOOK}`,
    ]);
  });

  it("is a lint without a reason, and takes off all the same", () => {
    const text = bare.replace("alert: A", `alert: A # aggwatch-ignore ${NO_RUNBOOK}`);
    expect(places(lint([text]))).toEqual(["4:18 lint/ignore-without-reason"]);
  });

  it.each([
    ["lint/no-runbok", 'did you mean "lint/no-runbook"?'],
    ["rule/unknown-fact", undefined],
  ])("is a lint where it names none: %s", (id, hint) => {
    const text = ruleText().replace("alert: A", `alert: A # aggwatch-ignore ${id}: so`);
    const { problems } = lint([text]);
    expect(problems.map((problem) => problem.id)).toEqual(["lint/unknown-ignore"]);
    if (hint !== undefined) expect(problems[0]?.hint).toBe(hint);
  });

  it.each([
    ["nothing of the kind is there", ruleText().replace("alert: A", `alert: A ${comment}`)],
    ["it is far from any rule", `${comment}\n\n${ruleText()}`],
    ["it comes after the last rule", `${ruleText()}\n${comment}\n`],
  ])("is a lint where it takes nothing off: %s", (_, text) => {
    expect(lint([text]).problems.map(({ id }) => id)).toEqual(["lint/unused-ignore"]);
  });

  it("may stay on a rule that is not enabled", () => {
    const off = ruleText({ enabled: "false", annotations: undefined });
    expect(lint([off.replace("alert: A", `alert: A ${comment}`)]).problems).toEqual([]);
  });
});
