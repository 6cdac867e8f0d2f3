import { describe, expect, it } from "vitest";
import { actionsByName } from "../../../src/actions/index.ts";
import { renderProblem } from "../../../src/config/problem.ts";
import { loadRuleTests } from "../../../src/rule-tests/file/load.ts";
import { ruleTestsSchema } from "../../../src/rule-tests/file/schema.ts";
import { fail, succeed } from "../../../src/domain/result.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { placesOf } from "../../config/rules/rule-text.ts";

const RULES = `
groups:
  - name: test
    rules:
      - { alert: Down, each: exchange, when: exchange.disabled }
`;

function load(text: string, name = "rules/own.test.yaml") {
  const readText = (path: string) =>
    path === "rules/own.yaml" ? succeed(RULES) : fail("no such file or directory");
  return loadRuleTests({ file: { name, text }, readText, kinds, actions: actionsByName });
}

/** One test; lines of its own begin in the third line. */
function oneTest(...lines: readonly string[]): string {
  return ["tests:", "  - name: a test", ...lines.map((line) => `    ${line}`)].join("\n");
}

function problems(text: string) {
  const loaded = load(text);
  return loaded.ok ? [] : loaded.problem;
}

const GIVEN = "given: [{ exchange: A, status: enabled }]";
const EXPECT = "expect: [{ at: 1m, alerts: [] }]";

describe("rule tests", () => {
  it("are read with the rules of the file that is named like theirs", () => {
    const loaded = load(oneTest("every: 1m", GIVEN, EXPECT));
    expect(loaded).toMatchObject({
      ok: true,
      value: {
        rules: [{ alert: "Down" }],
        tests: [{ name: "a test", line: 2, everyMs: 60_000, staleAfterMs: 180_000, mode: "act" }],
      },
    });
  });

  /** Which rules judge in a test that expects this, beside a rule that has something. */
  function judges(has: string, ...expected: readonly string[]): readonly string[] | undefined {
    const rule = `      - { alert: Fast, each: exchange, when: exchange.disabled, ${has} }\n`;
    const file = { name: "a.test.yaml", text: oneTest(GIVEN, ...expected) };
    const readText = () => succeed(`${RULES.trimEnd()}\n${rule}`);
    const loaded = loadRuleTests({ file, readText, kinds, actions: actionsByName });
    return loaded.ok ? loaded.value.tests.flatMap((test) => [...(test.judgedBy ?? [])]) : undefined;
  }

  it.each(["enabled: false", "aggregators: [eth]"])(
    "are judged by a rule with %s if they name it",
    (has) => {
      const down = "expect: [{ at: 1m, alerts: [{ Down: A }] }]";
      expect(judges(has, down)).toEqual(["Down"]);
      expect(judges(has, EXPECT)).toEqual(["Down"]);
      expect(judges(has, "expect: [{ at: 1m, alerts: [{ Fast: A }] }]")).toEqual(["Down", "Fast"]);
      expect(judges(has, "expect: [{ at: 1m, suppressed: [{ Fast: A }] }]")).toEqual([
        "Down",
        "Fast",
      ]);
      expect(judges(has, "commands: [{ at: 1s, deny: { Fast: A } }]", EXPECT)).toEqual([
        "Down",
        "Fast",
      ]);
      expect(judges(has, "rules: [Fast]", EXPECT)).toEqual(["Fast"]);
    },
  );

  it("are judged by all rules if none of them is in force for all aggregators", () => {
    const off = RULES.replace("alert: Down,", "alert: Down, enabled: false,");
    const file = { name: "a.test.yaml", text: oneTest(GIVEN, EXPECT) };
    const readText = () => succeed(off);
    const loaded = loadRuleTests({ file, readText, kinds, actions: actionsByName });
    expect(loaded).toMatchObject({ ok: true, value: { tests: [{ judgedBy: new Set(["Down"]) }] } });
  });

  it("are read with rules whose file ends in .yml", () => {
    const readText = (path: string) =>
      path === "rules/own.yml" ? succeed(RULES) : fail("no such file or directory");
    for (const name of ["rules/own.test.yml", "rules/own.test.yaml"]) {
      const file = { name, text: oneTest(GIVEN, EXPECT) };
      const loaded = loadRuleTests({ file, readText, kinds, actions: actionsByName });
      expect(loaded).toMatchObject({ ok: true, value: { rules: [{ alert: "Down" }] } });
    }
    const none = load(oneTest(GIVEN, EXPECT), "rules/other.test.yml");
    expect(none.ok ? [] : none.problem).toMatchObject([
      { message: expect.stringContaining("the rule file rules/other.yaml cannot be read") },
    ]);
  });

  it("name other rule files relative to themselves", () => {
    const named = load(
      `rule_files: [../rules/own.yaml]\n${oneTest(GIVEN, EXPECT)}`,
      "t/a.test.yaml",
    );
    expect(named.ok).toBe(true);
    const [problem] = problems(`rule_files: [none.yaml]\n${oneTest(GIVEN, EXPECT)}`);
    expect(problem).toMatchObject({ id: "test/rule-file", line: 1, column: 14 });
  });

  it("are in the order of their instants", () => {
    const loaded = load(
      oneTest(GIVEN, "expect:", "  - { at: 2m, alerts: [] }", "  - { at: 1m, alerts: [] }"),
    );
    const [test] = loaded.ok ? loaded.value.tests : [];
    expect(test?.expectations.map(({ atMs, line }) => [atMs, line])).toEqual([
      [60_000, 6],
      [120_000, 5],
    ]);
  });

  it.each<[string, readonly string[], string]>([
    ["an unknown key", ["evry: 1m", GIVEN, EXPECT], '3:5 test/unknown-key did you mean "every"?'],
    [
      "an unknown kind",
      ["given: [{ exchnge: A }]", EXPECT],
      '3:15 test/given did you mean "exchange"?',
    ],
    [
      "an unknown fact",
      ["given: [{ exchange: A, statsu: enabled }]", EXPECT],
      '3:28 test/unknown-fact did you mean "status"?',
    ],
    [
      "a word that a fact never is",
      ["given: [{ exchange: A, status: disable }]", EXPECT],
      '3:36 test/timeline did you mean "disabled"?',
    ],
    [
      "runs without a comma between them",
      ["given: [{ exchange: A, status: enabled x2 disabled x40 }]", EXPECT],
      "3:36 test/timeline write it as in enabled x2, disabled; _ is a fact that is missing, gone an absent entity",
    ],
    [
      "an entity that is given twice",
      [
        "given:",
        "  - exchange: [A, B]",
        "    status: enabled",
        "  - { exchange: B, status: disabled }",
        EXPECT,
      ],
      "6:9 test/named-twice write one entry, with a timeline: disabled x3, enabled",
    ],
    [
      "a poller whose polls are given twice",
      [
        "given:",
        "  - { poll: swaps, outcome: ok }",
        "  - { poll: swaps, outcome: failed }",
        EXPECT,
      ],
      "5:9 test/named-twice write one entry, with a timeline: disabled x3, enabled",
    ],
    [
      "a fact of another type",
      ["given: [{ exchange: A, listed: maybe }]", EXPECT],
      "3:36 test/timeline write it as in true x2, false; _ is a fact that is missing, gone an absent entity",
    ],
    [
      "a poller that is given facts",
      ["given: [{ poller: exchanges, up: false }]", EXPECT],
      "3:23 test/kept-by-core for example { poll: exchanges, outcome: ok x2, failed x5 }",
    ],
    [
      "an outcome that is none",
      ["given: [{ poll: exchanges, outcome: fialed }]", EXPECT],
      '3:41 test/outcome did you mean "failed"?',
    ],
    [
      "a surface that misses a poll",
      ["given: [{ poll: swaps, surface: a, outcome: missed }]", EXPECT],
      "3:49 test/outcome",
    ],
    [
      "a poller that is not there",
      ["given: [{ poll: exchange, outcome: ok }]", EXPECT],
      '3:21 test/bad-value did you mean "exchanges"?',
    ],
    [
      "an alert that is not there",
      [GIVEN, "expect: [{ at: 1m, alerts: [{ Dwon: A }] }]"],
      '4:35 test/unknown-alert did you mean "Down"?',
    ],
    [
      "a key of an alert that is not there",
      [GIVEN, "expect: [{ at: 1m, alerts: [{ Down: A, stat: firing }] }]"],
      '4:44 test/unknown-key did you mean "state"?',
    ],
    [
      "a state that is none",
      [GIVEN, "expect: [{ at: 1m, alerts: [{ Down: A, state: fireing }] }]"],
      '4:51 test/bad-value did you mean "firing"?',
    ],
    [
      "an alert without a name",
      [GIVEN, "expect: [{ at: 1m, alerts: [{ state: firing }] }]"],
      "4:33 test/expected write it as in { Down: id, state: … }",
    ],
    [
      "an alert that is named as in the API",
      [GIVEN, "expect: [{ at: 1m, alerts: [{ alert: Down, entity: A }] }]"],
      "4:33 test/expected write it as in { Down: id, state: … }",
    ],
    [
      "an alert without its entity",
      [GIVEN, "expect: [{ at: 1m, alerts: [Down] }]"],
      "4:33 test/bad-value write it as in { Down: id, state: … }",
    ],
    [
      "observations as Prometheus writes them",
      ["interval: 1m", GIVEN, EXPECT],
      '3:5 test/unknown-key did you mean "every"?',
    ],
    [
      "an action that is not there",
      [GIVEN, "expect: [{ at: 1m, remediations: [{ enable_exchang: A }] }]"],
      '4:41 test/unknown-key did you mean "enable_exchange"?',
    ],
    [
      "a guard that is not there",
      [GIVEN, "expect: [{ at: 1m, suppressed: [{ Down: A, reason: cooldwn }] }]"],
      '4:56 test/bad-value did you mean "cooldown"?',
    ],
    [
      "an expectation of nothing",
      [GIVEN, "expect: [{ at: 1m }]"],
      "4:14 test/expects-nothing say alerts, remediations or suppressed; [] if there are to be none",
    ],
    [
      "a start on a day that is none",
      ["start: 2026-02-30T00:00:00Z", GIVEN, EXPECT],
      '3:12 test/bad-value write "2026-03-29T00:00:00Z", or with an offset: "2026-03-29T02:00:00+02:00"',
    ],
    [
      "an instant between two seconds",
      [GIVEN, "expect: [{ at: 1500ms, alerts: [] }]"],
      "4:20 test/bad-value",
    ],
    [
      "a command that is none",
      [GIVEN, EXPECT, "commands: [{ at: 1m }]"],
      "5:16 test/command for example { at: 3m, kill: maintenance }",
    ],
    [
      "a proposal of an alert that is not there",
      [GIVEN, EXPECT, "commands: [{ at: 1m, approve: { Dwon: A } }]"],
      '5:37 test/unknown-alert did you mean "Down"?',
    ],
    ["no rule that judges", [GIVEN, EXPECT, "rules: []"], "5:12 test/bad-value"],
    [
      "a proposal of an entity that is not given",
      [GIVEN, EXPECT, "commands: [{ at: 1m, approve: { Down: B } }]"],
      '5:43 test/unknown-entity did you mean "A"?',
    ],
    [
      "the release of an entity that is not given",
      [GIVEN, EXPECT, "commands: [{ at: 1m, release: exchnge/A }]"],
      '5:35 test/unknown-entity did you mean "exchange/A"?',
    ],
    [
      "a command after its end",
      [GIVEN, EXPECT, "commands: [{ at: 61s, kill: by hand }]"],
      "5:22 test/never-reached",
    ],
    [
      "a command after an end that is not known",
      [
        GIVEN,
        "expect: [{ at: 1m, alerts: [] }, { at: 1x, alerts: [] }]",
        "commands: [{ at: 61s, kill: by hand }]",
      ],
      '4:44 test/bad-value write "90s", "5m" or "1h30m"',
    ],
    [
      "a reply about an entity that is not given",
      [GIVEN, EXPECT, "replies: [{ action: enable_exchange, id: B, effect: false }]"],
      '5:46 test/unknown-entity did you mean "A"?',
    ],
    [
      "a refusal with an effect",
      [GIVEN, EXPECT, "replies: [{ action: enable_pair, outcome: rejected, effect: true }]"],
      "5:65 test/bad-value",
    ],
    [
      "a test longer than a week",
      [GIVEN, "expect: [{ at: 8d, alerts: [] }]"],
      "4:13 test/too-long",
    ],
  ])("with %s are a problem", (_what, lines, expected) => {
    const found = problems(oneTest(...lines)).map((problem) =>
      `${placesOf([problem])[0] ?? ""} ${problem.hint ?? ""}`.trimEnd(),
    );
    expect(found).toEqual([expected]);
  });

  it("say that an entry is wrong, and not the file, if it is no mapping", () => {
    expect(problems(oneTest(GIVEN, EXPECT, "commands: [kill]"))).toMatchObject([
      { message: "this entry must be a mapping of keys, not text" },
    ]);
  });

  it("say what is wrong, even if the line is not shown", () => {
    const test = oneTest("given: [5]", "expect: [{ at: 1500ms, alerts: [] }]");
    expect(problems(test)).toMatchObject([
      { message: "this entry must be a mapping of keys" },
      { message: '"at" must be in whole seconds' },
    ]);
  });

  it("say that rules have a file of their own", () => {
    expect(problems(`groups: []\n${oneTest(GIVEN, EXPECT)}`)).toMatchObject([
      { id: "test/unknown-key", hint: expect.stringMatching(/^rules have a file of their own/) },
    ]);
  });

  it("show all of their problems with the line, and say in which test they are", () => {
    const found = problems(
      oneTest("given: [{ exchange: A, statsu: enabled }, { pool: B, bas: 1 }]", EXPECT),
    );
    expect(found.map(({ id }) => id)).toEqual(["test/unknown-fact", "test/unknown-fact"]);
    expect(found.slice(0, 1).map((one) => renderProblem(one))).toEqual([
      [
        'rules/own.test.yaml:3:28: error: unknown key "statsu" (test/unknown-fact)',
        "   3 |     given: [{ exchange: A, statsu: enabled }, { pool: B, bas: 1 }]",
        "     |                            ^^^^^^",
        '      did you mean "status"?',
        '      in test "a test"',
      ].join("\n"),
    ]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      "a test without a name",
      [
        "tests:",
        "  - given: [{ exchange: A, statsu: enabled }]",
        "    expect: [{ at: 1m, alerts: [{ Dwon: A }] }]",
      ],
      ["2:5 test/missing", "2:28 test/unknown-fact", "3:35 test/unknown-alert"],
    ],
    [
      "a test without anything given, and one in which nothing is expected",
      [
        "tests:",
        "  - name: a",
        "    expect: [{ at: 1m, alerts: [{ Dwon: A }] }]",
        "  - name: b",
        "    given: [{ exchange: A, statsu: enabled }]",
        "    expect: []",
      ],
      [
        "2:5 test/missing",
        "3:35 test/unknown-alert",
        "5:28 test/unknown-fact",
        "6:13 test/bad-value",
      ],
    ],
    [
      "an expectation, a command and a reply without what they need",
      [
        "tests:",
        "  - name: a",
        `    ${GIVEN}`,
        "    expect: [{ alerts: [{ Dwon: A, state: firng }] }]",
        "    commands: [{ approve: { Dwon: A } }]",
        "    replies: [{ outcome: rejected, effect: true }]",
      ],
      [
        "4:14 test/missing",
        "4:27 test/unknown-alert",
        "4:43 test/bad-value",
        "5:16 test/missing",
        "5:29 test/unknown-alert",
        "6:15 test/missing",
        "6:44 test/bad-value",
      ],
    ],
    [
      "ids and outcomes of the wrong type",
      [
        "tests:",
        "  - name: a",
        "    given: [{ exchange: 5, listed: maybe }, { poll: exchange, outcome: fialed }]",
        `    ${EXPECT}`,
      ],
      ["3:25 test/bad-value", "3:36 test/timeline", "3:53 test/bad-value", "3:72 test/outcome"],
    ],
    [
      "a file whose other parts are wrong",
      ["rule_files: [none.yaml]", "tests: 5"],
      ["1:14 test/rule-file", "2:8 test/bad-value"],
    ],
  ])("show all at once the mistakes in %s", (_what, lines, expected) => {
    expect(placesOf(problems(lines.join("\n")))).toEqual(expected);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["names that are missing", [`- { ${GIVEN}, ${EXPECT} }`, `- { ${GIVEN}, ${EXPECT} }`], []],
    ["a command", [`- { name: a, ${GIVEN}, ${EXPECT}, commands: [{ at: 1m, kil: a }] }`], []],
    ["a list of an expectation", [`- { name: a, ${GIVEN}, expect: [{ at: 1m, alert: [] }] }`], []],
    [
      "the name of an alert, whose entity is not text",
      [`- { name: a, ${GIVEN}, expect: [{ at: 1m, alerts: [{ Down: 5 }] }] }`],
      [],
    ],
    [
      "a name that a test without one happens to have in its place",
      [`- { ${GIVEN}, ${EXPECT} }`, `- { name: unset, ${GIVEN}, ${EXPECT} }`],
      [],
    ],
    [
      "the rules, if it is not known which",
      [`- { name: a, ${GIVEN}, expect: [{ at: 1m, alerts: [{ Dwon: A }] }] }`],
      ["rule_fils: [none.yaml]"],
    ],
  ])("show nothing that follows from a mistake in %s", (_what, tests, head) => {
    const name = head.length > 0 ? "rules/other.test.yaml" : "rules/own.test.yaml";
    const loaded = load([...head, "tests:", ...tests.map((one) => `  ${one}`)].join("\n"), name);
    const ids = new Set(loaded.ok ? [] : loaded.problem.map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect([...ids][0]).toMatch(/^test\/(?:missing|unknown-key|bad-value)$/);
  });

  it("name the second of two tests of the same name, though one before them cannot be read", () => {
    const one = `  - { name: a, ${GIVEN}, ${EXPECT} }`;
    expect(placesOf(problems(["tests:", "  - 5", one, one].join("\n")))).toEqual([
      "2:5 test/bad-value",
      "4:13 test/duplicate-name",
    ]);
  });

  it("with the same name twice are a problem", () => {
    const one = oneTest(GIVEN, EXPECT);
    expect(placesOf(problems(`${one}\n${one.split("\n").slice(1).join("\n")}`))).toEqual([
      "5:11 test/duplicate-name",
    ]);
  });

  it("are shown the problems of their rules", () => {
    const loaded = loadRuleTests({
      file: { name: "a.test.yaml", text: oneTest(GIVEN, EXPECT) },
      readText: () =>
        succeed("groups: [{ name: a, rules: [{ alert: A, each: pol, when: 'true' }] }]"),
      kinds,
      actions: actionsByName,
    });
    expect(loaded.ok ? [] : loaded.problem.map(({ file, id }) => `${file} ${id}`)).toEqual([
      "a.yaml rule/unknown-kind",
    ]);
  });

  it("have a whole schema that says the same as the pieces", () => {
    const test = { name: "a", given: [{ exchange: "A", status: "enabled" }] };
    const whole = { tests: [{ ...test, expect: [{ at: "1m", alerts: [{ Down: "A" }] }] }] };
    expect(ruleTestsSchema.safeParse(whole).success).toBe(true);
    const wrong = { tests: [{ ...test, expect: [{ at: "1m", alerts: [{ state: "x" }] }] }] };
    expect(ruleTestsSchema.safeParse(wrong).success).toBe(false);
  });
});
