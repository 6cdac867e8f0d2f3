import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandLine } from "../command-line.ts";

const shipped = join(import.meta.dirname, "../../../rules");

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-test-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const run = async (args: readonly string[], env: Record<string, string> = {}) =>
  await commandLine(["test", ...args], env);

function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const RULES = `
groups:
  - name: test
    rules: [{ alert: Down, each: exchange, when: exchange.disabled }]
`;

const test = (name: string, state: string): string =>
  `  - name: ${name}
    given: [{ exchange: A, status: disabled }]
    expect: [{ at: 1m, alerts: [{ Down: A, state: ${state} }] }]
`;

/** Rules with one test that passes and one that fails. */
function writeBoth(): string {
  write("down.yaml", RULES);
  return write(
    "down.test.yaml",
    `tests:\n${test("it fires", "firing")}${test("a < b", "pending")}`,
  );
}

/** Clocks in Berlin go from 02:00 to 03:00 at 01:00 UTC on this Sunday. */
const BY_THE_CLOCK = {
  rules: `
groups:
  - name: clock
    rules:
      - alert: DownAtWork
        each: exchange
        when: exchange.disabled
        during: { hours: 09:00-17:00, days: mon-fri, time_zone: Europe/Berlin }
        for: 1h
        act:
          action: enable_exchange
          during: { hours: 10:30-17:00, time_zone: Europe/Berlin }
          cooldown: 10m
          budget: { max: 5, per: 1h }
      - alert: Outages
        each: exchange
        with: { outages: { fact: status, count: { to: disabled, within: 1h } } }
        when: exchange.outages >= 2
`,
  tests: `
tests:
  - name: a weekend is not work, and summer time begins in it
    start: 2026-03-29T06:00:00Z
    every: 15m
    given: [{ exchange: A, status: disabled }]
    replies: [{ action: enable_exchange, effect: false }]
    expect:
      - { at: 24h59m, alerts: [] }
      - { at: 25h, alerts: [{ DownAtWork: A, state: pending }], suppressed: [] }
      - at: 26h
        alerts: [{ DownAtWork: A, state: firing }]
        suppressed: [{ DownAtWork: A, reason: condition }]
        remediations: []
      - { at: 26h30m, remediations: [{ enable_exchange: A }] }
      - { at: 33h, alerts: [{ DownAtWork: A, state: resolved }] }
  - name: only the way down counts
    start: 2026-03-29T06:00:00+02:00
    every: 5m
    mode: shadow
    given: [{ exchange: A, status: [enabled x12, disabled x2, enabled x2, disabled, enabled] }]
    expect:
      - { at: 75m, alerts: [] }
      - { at: 80m, alerts: [{ Outages: A, state: firing }] }
`,
};

describe("aggwatch test", () => {
  it("starts its clock when a test says so, for what goes by the clock", async () => {
    write("clock.yaml", BY_THE_CLOCK.rules);
    const path = write("clock.test.yaml", BY_THE_CLOCK.tests);
    const { exitCode, printed, complained } = await run([path]);
    expect(complained + printed).toBe(`OK     ${path}  2 tests\n2 passed, 0 failed`);
    expect(exitCode).toBe(0);
  });

  it("passes the shipped rules", async () => {
    const { exitCode, printed, complained } = await run([shipped]);
    expect(complained).toBe("");
    expect(printed).toMatch(/^OK {5}\S+exchanges\.test\.yaml {2}\d+ tests$/m);
    expect(printed).toMatch(/\n\d+ passed, 0 failed$/);
    expect(exitCode).toBe(0);
  });

  it("exits with 1 and says why if a test fails", async () => {
    const file = writeBoth();
    const { exitCode, printed } = await run([directory]);
    expect(printed.split("\n").slice(0, 4)).toEqual([
      `FAILED ${file}  1 of 2 tests`,
      `FAILED a < b  (${file}:5)`,
      `  at 1m (${file}:7), alerts:`,
      "    expected  Down A  state: pending",
    ]);
    expect(printed.split("\n").at(-1)).toBe("1 passed, 1 failed");
    expect(exitCode).toBe(1);
  });

  it("runs the tests whose name holds a text", async () => {
    const file = writeBoth();
    expect(await run([file, "--run", "fires"])).toEqual({
      exitCode: 0,
      printed: `OK     ${file}  1 test\n1 passed, 0 failed`,
      complained: "",
    });
    expect(await run([file, "--run", "nothing"])).toEqual({
      exitCode: 1,
      printed: "",
      complained: 'there are no tests whose name holds "nothing"',
    });
  });

  it("writes the results as JUnit XML", async () => {
    const file = writeBoth();
    write("bad.test.yaml", "tests: [{ name: a }]");
    const junit = join(directory, "junit.xml");
    expect((await run([directory, "--junit", junit])).exitCode).toBe(1);
    const xml = readFileSync(junit, "utf8");
    expect(xml).toContain(`<testsuite name="${file}" tests="2" failures="1">`);
    expect(xml).toContain(`<testcase classname="${file}" name="it fires"/>`);
    expect(xml).toContain(`<testcase classname="${file}" name="a &lt; b">`);
    expect(xml).toContain("expected  Down A  state: pending");
    expect(xml).toContain('name="can be read">');
    const nowhere = await run([file, "--run", "fires", "--junit", join(directory, "a", "b.xml")]);
    expect(nowhere.exitCode).toBe(1);
    expect(nowhere.complained).toContain("b.xml cannot be written");
  });

  it("prints the results as JSON", async () => {
    const file = writeBoth();
    write("bad.test.yaml", "tests: [{ name: a }]");
    const { exitCode, printed } = await run([directory, "--json"]);
    expect(exitCode).toBe(1);
    const [bad, both] = JSON.parse(printed) as unknown[];
    expect(bad).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ id: "test/missing", line: 1 })]),
      tests: [],
    });
    expect(both).toMatchObject({
      file,
      problems: [],
      tests: [
        { name: "it fires", passed: true },
        { name: "a < b", passed: false, failure: expect.stringContaining("expected  Down A") },
      ],
    });
  });

  it("says if there are no tests, or no directory", async () => {
    expect(await run([directory])).toMatchObject({
      exitCode: 1,
      complained: `there are no rule tests (*.test.yaml) in ${directory}`,
    });
    expect(await run([join(directory, "none")])).toMatchObject({
      exitCode: 1,
      complained: `${join(directory, "none")}: the rule tests cannot be read: no such file or directory`,
    });
  });

  it("prints the problems of a test file with their places, and runs the others", async () => {
    writeBoth();
    write("bad.test.yaml", "tests: [{ name: a, given: [], expct: [] }]");
    const { exitCode, printed, complained } = await run([], { AGGWATCH_RULES: directory });
    expect(complained).toContain(
      'bad.test.yaml:1:31: error: unknown key "expct" (test/unknown-key)',
    );
    expect(printed).toContain("1 passed, 1 failed, 1 file with problems");
    expect(exitCode).toBe(1);
  });
});
