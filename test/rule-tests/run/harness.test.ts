import { describe, expect, it } from "vitest";
import { actionsByName } from "../../../src/actions/index.ts";
import { renderProblems } from "../../../src/config/problem.ts";
import { loadRuleTests } from "../../../src/rule-tests/file/load.ts";
import { succeed } from "../../../src/domain/result.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { renderFailures } from "../../../src/rule-tests/report/report.ts";
import { runRuleTests } from "../../../src/rule-tests/run/run-rule-tests.ts";

const RULES = `
groups:
  - name: test
    rules:
      - alert: Down
        each: exchange
        when: exchange.status == "disabled"
        for: 1m
        labels: { severity: critical, team: "team-{{ exchange.name }}" }
        annotations: { summary: "{{ exchange.name }} is down for {{ age(exchange.since) }}" }
        act:
          action: enable_exchange
          cooldown: 5m
          verify_within: 1m
          attempts: 2
          budget: { max: 3, per: 1h }
      - alert: Lost
        each: exchange
        when: exchange.status == "missing"
        inhibited_by: [Down]
      - { alert: Created, each: liquidation, when: liquidation.created > now }
      - { alert: Paired, each: pair, when: pair.status == "disabled" }
      - { alert: LowerCase, each: order, when: order.status == "failed" }
      - { alert: UpperCase, each: order, when: order.status == "FAILED" }
      - { alert: SwapLowerCase, each: swap, when: swap.status == "active" }
      - { alert: Busy, each: sender, when: sender.active_swaps > 2 }
`;

/** What is not as expected in one test, as text; empty where all is. */
function failures(...lines: readonly string[]): string {
  return failuresBy(RULES, ...lines);
}

function failuresBy(rules: string, ...lines: readonly string[]): string {
  const text = ["tests:", "  - name: a test", ...lines.map((line) => `    ${line}`)].join("\n");
  const loaded = loadRuleTests({
    file: { name: "a.test.yaml", text },
    readText: () => succeed(rules),
    kinds,
    actions: actionsByName,
  });
  if (!loaded.ok) throw new Error(renderProblems(loaded.problem));
  return runRuleTests(loaded.value)
    .filter((result) => result.failures.length > 0)
    .map((result) => renderFailures("a.test.yaml", result))
    .join("\n");
}

const DOWN = "given: [{ exchange: A, status: disabled }]";

describe("the harness of rule tests", () => {
  it("spells a status as pollers do, whatever its case in the test", () => {
    expect(
      failures(
        "given:",
        "  - { order: spot/1, status: failed }",
        "  - { swap: s, status: active }",
        "expect: [{ at: 1m, alerts: [{ UpperCase: spot/1 }] }]",
      ),
    ).toBe("");
  });

  it("sees an alert's state, labels, annotations, and what mutes it", () => {
    expect(
      failures(
        "mode: shadow",
        "given:",
        "  - { exchange: A, status: disabled }",
        "  - { exchange: B, status: [enabled x2, gone] }",
        "expect:",
        "  - at: 1m",
        "    alerts:",
        "      - Down: A",
        "        state: firing",
        "        severity: critical",
        "        labels: { team: team-A }",
        "        annotations: { summary: A is down for 1m }",
        "      - { Lost: B, state: firing, muted: true, unknown: false }",
      ),
    ).toBe("");
  });

  it("judges by each rule, whichever aggregators it names", () => {
    const named = RULES.replace("alert: Down", "alert: Down\n        aggregators: [bsc]");
    const expected = "expect: [{ at: 1m, alerts: [{ Down: A, state: firing }] }]";
    expect(failuresBy(named, "mode: shadow", DOWN, expected)).toBe("");
    const quiet = ["rules: [Down]", "mode: shadow", DOWN, "expect: [{ at: 1m, alerts: [] }]"];
    const text = failuresBy(named, ...quiet);
    expect(text).toContain("got       Down A   state: firing");
    expect(text).toContain('Down: exchange.status == "disabled" is bad');
  });

  it("compares a row with that of its rule and entity, and a resolved alert only with its own", () => {
    expect(
      failures(
        "mode: shadow",
        "given:",
        "  - { exchange: [A, B], status: [disabled x4, enabled] }",
        "  - { pair: [A, B/X-Y], status: disabled }",
        "expect:",
        "  - at: 1m30s",
        "    alerts:",
        "      - { Paired: A, muted: false }",
        "      - { Down: B, state: firing }",
        "      - { Paired: B/X-Y }",
        "      - { Down: A, state: firing }",
        "  - at: 3m",
        "    alerts: [{ Down: A, state: resolved }, { Paired: A }, { Paired: B/X-Y }]",
      ),
    ).toBe("");
    const another = failures("mode: shadow", DOWN, "expect: [{ at: 1m, alerts: [{ Lost: A }] }]");
    expect(another).toContain("expected  Lost A");
  });

  it("finds nothing held back of an alert that acts on nothing", () => {
    const given = "given: [{ pair: A/B-C, status: disabled }]";
    expect(
      failures(given, "expect: [{ at: 1m, alerts: [{ Paired: A/B-C }], suppressed: [] }]"),
    ).toBe("");
  });

  it("repairs an entity until the next run of its timelines", () => {
    expect(
      failures(
        "given: [{ exchange: A, status: 'disabled x20, disabled' }]",
        "expect:",
        "  - { at: 1m, remediations: [{ enable_exchange: A, state: verified }] }",
        "  - { at: 9m59s, alerts: [] }",
        "  - { at: 10m, alerts: [{ Down: A, state: pending }] }",
      ),
    ).toBe("");
  });

  it("answers an action as it is told, and after as long", () => {
    expect(
      failures(
        DOWN,
        "replies:",
        "  - { action: enable_exchange, outcome: in_doubt, after: 20s, times: 1 }",
        "expect:",
        "  - { at: 1m19s, remediations: [{ enable_exchange: A, state: requested }] }",
        "  - { at: 1m20s, remediations: [{ enable_exchange: A, state: in_doubt }] }",
        "  - { at: 2m19s, remediations: [{ enable_exchange: A, state: in_doubt }] }",
        "  - { at: 2m20s, remediations: [{ enable_exchange: A, state: unverified }] }",
        "  - at: 11m",
        "    remediations:",
        "      - { enable_exchange: A, state: unverified }",
        "      - { enable_exchange: A, state: verified }",
      ),
    ).toBe("");
  });

  it("compares remediations in the order in which they were sent", () => {
    const inOrder = (first: string, second: string) =>
      failures(
        "given:",
        "  - { exchange: A, status: disabled }",
        "  - { exchange: B, status: [enabled x6, disabled] }",
        "  - { exchange: [C, D], status: enabled }",
        "replies: [{ action: enable_exchange, id: A, effect: false, times: 1 }]",
        `expect: [{ at: 20m, remediations: [${first}, ${second}, { enable_exchange: A, state: verified }] }]`,
      );
    const [one, other] = [
      "{ enable_exchange: A, state: unverified }",
      "{ enable_exchange: B, state: verified }",
    ];
    expect(inOrder(one, other)).toBe("");
    expect(inOrder(other, one)).toMatch(/expected +enable_exchange B.*\n.*got +enable_exchange A/);
  });

  it("sees what was done though the answer was lost", () => {
    expect(
      failures(
        DOWN,
        "replies: [{ action: enable_exchange, outcome: in_doubt, effect: true }]",
        "expect:",
        "  - { at: 1m, remediations: [{ enable_exchange: A, state: verified }] }",
      ),
    ).toBe("");
  });

  it("lets the reading before an action fail as polls do", () => {
    const outcomes = (word: string) =>
      failures(
        "given:",
        "  - { exchange: A, status: disabled }",
        `  - { poll: exchanges, outcome: [ok x2, ${word} x2, ok] }`,
        "expect: [{ at: 1m, remediations: [{ enable_exchange: A, state: verified }] }]",
      );
    expect(outcomes("missed")).toBe("");
    expect(outcomes("failed")).toContain("unknown since 1m");
  });

  it("passes on the ceiling, and what operators do", () => {
    expect(
      failures(
        "mode: propose",
        DOWN,
        "commands:",
        "  - { at: 2m, kill: by hand }",
        "  - { at: 3m, unkill: by hand }",
        "  - { at: 4m, approve: { Down: A } }",
        "expect:",
        "  - { at: 1m, suppressed: [{ Down: A, reason: approval }] }",
        "  - { at: 2m, suppressed: [{ Down: A, reason: killed }] }",
        "  - { at: 3m, suppressed: [{ Down: A, reason: approval }], remediations: [] }",
        "  - { at: 4m, remediations: [{ enable_exchange: A, state: verified }] }",
      ),
    ).toBe("");
  });

  it("lets two persons approve, as a rule may ask for", () => {
    const both = RULES.replace(
      "action: enable_exchange",
      "action: enable_exchange\n          approvals: 2",
    );
    const failuresIf = (second: string) =>
      failuresBy(
        both,
        "mode: propose",
        DOWN,
        "commands:",
        "  - { at: 2m, approve: { Down: A } }",
        `  - { at: 3m, approve: { Down: A }${second} }`,
        "expect:",
        "  - { at: 2m, suppressed: [{ Down: A, reason: approval }], remediations: [] }",
        "  - { at: 3m, remediations: [{ enable_exchange: A, state: verified }] }",
      );
    expect(failuresIf(", by: second")).toBe("");
    expect(failuresIf("")).toContain("p1 was approved by test already");
  });

  it("sees no action held back of what is well and only keeps firing", () => {
    expect(
      failuresBy(
        RULES.replace("for: 1m", "for: 1m\n        keep_firing_for: 10m"),
        "given: [{ exchange: A, status: [disabled x4, enabled] }]",
        "commands: [{ at: 0s, kill: by hand }]",
        "expect:",
        "  - { at: 1m, suppressed: [{ Down: A, reason: killed }] }",
        "  - { at: 3m, alerts: [{ Down: A, state: firing }], suppressed: [] }",
      ),
    ).toBe("");
  });

  it("gives instants as times since the start", () => {
    expect(
      failures(
        "given:",
        "  - { liquidation: A, created: 5m }",
        "  - { sender: B, active_swaps: 1+1x3 }",
        "expect:",
        "  - { at: 30s, alerts: [{ Created: A }] }",
        "  - { at: 1m, alerts: [{ Created: A }, { Busy: B }] }",
        "  - { at: 4m59s, alerts: [{ Created: A }, { Busy: B }] }",
        "  - { at: 5m, alerts: [{ Created: A, state: resolved }, { Busy: B }] }",
      ),
    ).toBe("");
  });

  it("shows what was expected, what came, and why", () => {
    const text = failures(
      "given:",
      "  - { exchange: A, status: [enabled x2, disabled] }",
      "  - { exchange: B, status: enabled }",
      "expect:",
      "  - at: 1m30s",
      "    alerts: [{ Down: A, state: firing, severity: critical }, { Down: B }]",
      "    remediations: []",
    );
    expect(text).toBe(
      [
        "FAILED a test  (a.test.yaml:2)",
        "  at 1m30s (a.test.yaml:7), alerts:",
        "    expected  Down A   state: firing   severity: critical",
        "    got       Down A   state: pending  severity: critical",
        "                       ^^^^^^^^^^^^^^",
        "    expected  Down B",
        "    got       nothing",
        "              ^^^^^^^",
        "  why, of exchange A:",
        '    facts      name "A", listed false, disabled true, status "disabled", first_seen 0s, since 1m',
        '    Down: exchange.status == "disabled" is bad',
        '      it reads status = "disabled"',
        "      pending: 30s of for 1m",
        "      enable_exchange: no guard holds it back (0 of 2 attempts, mode act over act)",
        "    found      0s         entity appeared: enabled",
        "               1m         entity status: enabled -> disabled",
        "               1m         Down pending",
        "  why, of exchange B:",
        '    facts      name "B", listed true, disabled false, status "enabled", first_seen 0s, since 0s',
        '    Down: exchange.status == "disabled" is ok',
        '      it reads status = "enabled"',
        "      there is no alert",
        "    found      0s         entity appeared: enabled",
      ].join("\n"),
    );
  });

  it("says what of a condition is not known, and what is known of it", () => {
    const rules = `
groups:
  - name: test
    rules:
      - alert: Shrunk
        each: pool
        with: { top: { fact: quote, max: 1h } }
        when: pool.quote < 5 && pool.top < 9 && pool.price > 0
`;
    const expected = "expect: [{ at: 1m, alerts: [{ Shrunk: F/A-B }] }]";
    const text = failuresBy(rules, "given: [{ pool: F/A-B, quote: 4 }]", expected);
    expect(text).toContain('is unknown (the fact "price" is not known; of what was seen, "top"');
    expect(text).toContain("it reads price = not known, quote = 4, top at least 4");
  });

  it("says how long an alert stood, up to the last reading, and how it ended", () => {
    const why = (at: string, ...given: string[]) =>
      failuresBy(
        RULES.replace("for: 1m", "for: 1m\n        keep_firing_for: 10m"),
        "mode: shadow",
        ...given,
        `expect: [{ at: ${at}, alerts: [{ Down: A, severity: warning }] }]`,
      );
    const down = "given: [{ exchange: A, status: [disabled x6, enabled] }]";
    const unread = (outcomes: string) => [
      "given:",
      "  - { exchange: A, status: [disabled x6, enabled] }",
      `  - { poll: exchanges, outcome: [${outcomes}] }`,
    ];
    expect(why("30s", ...unread("ok, failed"))).toContain(
      "pending: 30s of for 1m; it stands still since 30s",
    );
    expect(why("2m", down)).toMatch(/ firing since 1m$/m);
    expect(why("3m", ...unread("ok x4, failed"))).toContain(
      "firing since 1m; it stands still since 2m",
    );
    expect(why("5m", down)).toMatch(/ firing, ok again: 2m of keep_firing_for 10m$/m);
    expect(why("5m", ...unread("ok x8, failed"))).toContain(
      "firing, ok again: 1m of keep_firing_for 10m; it stands still since 4m",
    );
  });

  it("says of a resolved alert when it was, and why", () => {
    const given = "given: [{ exchange: A, status: [disabled x6, enabled] }]";
    const expected = "expect: [{ at: 5m, alerts: [{ Down: A, state: resolved, severity: info }] }]";
    const text = failures("mode: shadow", given, expected);
    expect(text).toMatch(/ resolved at 3m \(ok\)$/m);
  });

  it("names the polls of a poller that failed, and not those that read all", () => {
    const text = failuresBy(
      `${RULES}      - { alert: Failing, each: poller, when: poller.failing_surfaces > 5 }`,
      "given: [{ poll: exchanges, outcome: [ok, failed, ok] }]",
      "expect: [{ at: 2m, alerts: [{ Failing: exchanges }] }]",
    );
    expect(text.match(/polled: .*/g)).toEqual(["polled: failed timeout: the test says failed"]);
  });

  it("shows an instant before the start of the test", () => {
    const text = failures(
      "given: [{ liquidation: A, created: -5m }]",
      "expect: [{ at: 1m, alerts: [{ Created: A }] }]",
    );
    expect(text).toContain("created -5m");
  });

  it("shows the latest eight findings of an entity", () => {
    const statuses = Array.from({ length: 6 }, () => "enabled, disabled").join(", ");
    const text = failures(
      `given: [{ exchange: A, status: [${statuses}] }]`,
      "expect: [{ at: 20s, remediations: [{ enable_exchange: A }] }]",
      "every: 1s",
    );
    expect(text.split(/^ {4}found /m)[1]?.split("\n")).toHaveLength(8);
  });

  it("suggests no name for one that is like none", () => {
    const text = failures(DOWN, "expect: [{ at: 30s, alerts: [{ Down: KUCOIN }] }]");
    expect(text).toMatch(/it was never there$/m);
  });

  it("names the guard that objected, with its numbers", () => {
    const text = failures(
      "given: [{ exchange: A, status: [disabled x4, disabled] }]",
      "expect: [{ at: 4m, remediations: [], suppressed: [] }]",
    );
    expect(text).toContain(
      "enable_exchange: held back by cooldown since 3m: 3m of 5m since the last attempt",
    );
  });

  it("sees a slip in a name, and a command that was refused", () => {
    const text = failures(
      "given: [{ exchange: BINANCE, status: disabled }]",
      "commands: [{ at: 1m, approve: { Down: BINANCE } }]",
      "expect: [{ at: 30s, alerts: [{ Down: BINACE }] }, { at: 1m, remediations: [] }]",
    );
    expect(text).toContain('facts      it was never there: did you mean "BINANCE"?');
    expect(text).toContain(
      "command approve refused: no proposal of Down BINANCE waits: it was never made",
    );
  });

  it("tells what is gone from what was never there", () => {
    const text = failures(
      "given: [{ pair: A/B-C, status: [disabled x2, gone] }]",
      "expect: [{ at: 1m, alerts: [{ Paired: A/B-C }] }]",
    );
    expect(text).toContain("facts      it is gone");
    expect(text).toContain("entity gone: was disabled");
  });
});
