import { describe, expect, it } from "vitest";
import { findViolations } from "./checks.ts";

const violations = (path: string, text: string) => findViolations([{ path, text }]);

describe("findViolations", () => {
  it("has nothing against a plain file", () => {
    const text =
      'import type { Instant } from "../domain/time.ts";\n\n/** Why process, console and Date.now() are not here. */\nexport const age = (at: Instant, now: Instant) => new Date(now - at).getTime();\n';
    expect(violations("src/core/age.ts", text)).toEqual([]);
  });

  it.each([
    ["src/core/a.ts", 'import { x } from "../io/x.ts";', "may not import src/io/x.ts"],
    ["src/domain/a.ts", 'import { x } from "../core/x.ts";', "it may import nothing"],
    ["src/simulator/a.ts", 'import { x } from "../aggregator/x.ts";', "may not import"],
    ["src/io/a.ts", 'import type { X } from "../run/x.ts";', "may not import src/run/x.ts"],
    ["src/run/a.ts", 'import { x } from "../../test/x.ts";', "may not import test/x.ts"],
    ["src/core/a.ts", 'import { readFileSync } from "node:fs";', "let src/io do it"],
    ["src/pollers/a.ts", 'import got from "got";', "only src/io may"],
    ["src/io/a.ts", 'import { map } from "lodash";', "lodash has no owner"],
    ["src/core/a.ts", 'declare module "../domain/x.ts" {}', "export a type"],
    ["src/extras/a.ts", "export const a = 1;", "src/extras is on no floor"],
  ])("keeps imports going down: %s %s", (path, text, message) => {
    expect(violations(path, text).join()).toContain(message);
  });

  it.each([
    ["src/core/a.ts", "f(Date.now());", "take `at` from the event"],
    ["src/core/a.ts", "f(new Date());", "take `at` from the event"],
    ["src/run/a.ts", "f(new Date());", "a `Clock`"],
    ["src/simulator/a.ts", "f(Math.random());", "seeded random"],
    ["src/core/a.ts", "f(crypto.randomUUID());", "derive ids from the event"],
    ["src/core/a.ts", "f(performance.now());", "two instants"],
    ["src/pollers/a.ts", "setTimeout(f, 1);", "`tick` event"],
    ["src/actions/a.ts", "const a = fetch(b);", "describe the request as data"],
    ["src/core/a.ts", "export async function a() {}", "return the wish as data"],
    ["src/core/a.ts", "const seen = new WeakMap<object, string>();", "keep it in `State`"],
    ["src/pollers/a.ts", "let last = 0;", "keep it in `State`"],
    ["src/core/a.ts", "const a = `${await b}`;", "return the wish as data"],
    ["src/notifiers/a.ts", "const a: Promise<string> = b;", "return a value"],
    ["src/cli/a.ts", "f(process.env);", "only src/main.ts names it"],
    ["src/io/a.ts", "console.log(1);", "log with src/io's logger"],
    ["src/io/a.ts", "export default a;", "a named export"],
  ])("bans calls and names the replacement: %s %s", (path, text, message) => {
    const found = violations(path, `\n${text}\n`);
    expect(found.join()).toContain(message);
    expect(found.join()).toContain(`${path}:2 `);
  });

  it("lets main.ts name process, and src/io read the clock", () => {
    expect(violations("src/main.ts", "f(process.env);")).toEqual([]);
    expect(violations("src/io/process/clock.ts", "f(Date.now());")).toEqual([]);
  });

  it.each([
    "src/core/utils.ts",
    "test/helpers.ts",
    "src/io/http-common.ts",
    "src/run/job-manager.ts",
  ])("asks for a better name than %s", (path) => {
    expect(violations(path, "").join()).toContain("says nothing");
  });

  it.each([
    ["it.skip('a', f);", "it.skip switches tests off"],
    ["describe.concurrent.only('a', f);", "switches tests off"],
    ["// TODO: later", "do it, or open an issue"],
    ["/* FIXME */", "do it, or open an issue"],
    ["// @ts-ignore", "use @ts-expect-error"],
    ["// @ts-expect-error", "without a reason"],
    ["// oxlint-disable-next-line no-console", "without a reason"],
    ["/* eslint-disable */", "without a reason"],
  ])("leaves nothing unfinished or silenced: %s", (text, message) => {
    expect(violations("test/a.test.ts", text).join()).toContain(message);
  });

  it.each([
    ["const stirs = 1;", '"stirs" is a private word: revision'],
    ["const isStirred = true;", '"Stirred" is a private word'],
    ["const x = 1; // The courier is told of it.", '"courier" is a private word: client'],
    ["/** As ever. */ // nobody is told of it", '"is told of" is a private word'],
  ])("asks for the field's word: %s", (text, message) => {
    expect(violations("test/a.test.ts", text).join()).toContain(message);
  });

  it("takes no part of another word for a private one", () => {
    const text = "const planes = email + mailto + planets; // A mailbox, and planets.";
    expect(violations("src/core/a.ts", text)).toEqual([]);
  });

  it("takes a reason for an answer", () => {
    const text =
      "// oxlint-disable-next-line no-console -- the terminal is the product here\n// @ts-expect-error the wrong type is the point\nit.skipIf(missing)('a', f);";
    expect(violations("test/a.test.ts", text)).toEqual([]);
  });

  it("finds files that import each other", () => {
    const found = findViolations([
      { path: "src/core/a.ts", text: 'import { b } from "./b.ts";' },
      { path: "src/core/b.ts", text: 'import type { a } from "./a.ts";' },
    ]);
    expect(found).toEqual([
      "src/core/a.ts:1 imports itself: src/core/a.ts → src/core/b.ts → src/core/a.ts",
    ]);
  });
});

describe("the ratchet of sizes", () => {
  const long = { path: "src/core/a.ts", text: "a;\n".repeat(251) };
  const body = `function b() {\n${"  c();\n".repeat(59)}}\n`;
  const withLongFunction = { path: "src/core/a.ts", text: body };

  it("allows what fits exactly", () => {
    expect(findViolations([{ ...long, text: "a;\n".repeat(250) }])).toEqual([]);
    expect(findViolations([{ ...long, text: body.replace("  c();\n", "") }])).toEqual([]);
  });

  it("asks to split what is too long", () => {
    expect(findViolations([long]).join()).toContain("251 lines, 250 are allowed");
    expect(findViolations([withLongFunction]).join()).toContain("61 lines, 60 are allowed");
  });

  it("asks to split a folder that is too full", () => {
    const files = Array.from({ length: 26 }, (_, index) => ({
      path: `src/core/a/n${index}.ts`,
      text: "",
    }));
    expect(findViolations(files.slice(1))).toEqual([]);
    expect(findViolations(files).join()).toContain("src/core/a/ has 26 files, 25 are allowed");
    expect(findViolations(files, { "src/core/a/": 26 })).toEqual([]);
  });

  it("lets an exception stay, not grow", () => {
    expect(findViolations([long], { "src/core/a.ts": 251 })).toEqual([]);
    expect(findViolations([withLongFunction], { "src/core/a.ts b": 61 })).toEqual([]);
    expect(findViolations([withLongFunction], { "src/core/a.ts b": 60 }).join()).toContain("grew");
  });

  it("fails when an exception could be smaller, or is not needed", () => {
    expect(findViolations([long], { "src/core/a.ts": 300 }).join()).toContain("write 251");
    const short = { ...long, text: "a;\n" };
    expect(findViolations([short], { "src/core/a.ts": 251 }).join()).toContain("fits now");
    expect(findViolations([], { "src/core/a.ts": 251 }).join()).toContain("is not there any more");
  });
});
