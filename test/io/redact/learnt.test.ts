import { describe, expect, test } from "vitest";
import { REDACTED } from "../../../src/domain/wording.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";

/** Tests src/io/redact/redactor.ts: what it learns, and the edges of what it hides. */

describe("a redactor", () => {
  test("hides a new secret that it learns together with one that it knows", () => {
    const { redact, learn } = createRedactor(["kT9/vW2+xB5q"]);
    learn(["kT9/vW2+xB5q", "Zq7-vK2_x9Lw"]);
    expect(redact("kT9/vW2+xB5q Zq7-vK2_x9Lw")).toBe(`${REDACTED} ${REDACTED}`);
  });

  test("hides a short secret at the beginning and at the end of a text too", () => {
    const { redact } = createRedactor(["s3cret"]);
    expect(redact("s3cret s3crets s3cret")).toBe(`${REDACTED} s3crets ${REDACTED}`);
  });

  test("hides from our own texts a piece of sixteen characters, and none of fifteen", () => {
    const { redactOwn } = createRedactor(["Zq7vK2x9Lw4Rt8HncMsd"]);
    expect(redactOwn("(Zq7vK2x9Lw4Rt8Hn)")).toBe(`(${REDACTED})`);
    expect(redactOwn("(Zq7vK2x9Lw4Rt8H)")).toBe("(Zq7vK2x9Lw4Rt8H)");
  });

  test.each([
    ["a space as a form has it", "correct horse battery", "correct+horse+battery"],
    ["an escape undone", "pa%2Fss%2Fwo%2Frd%2Flo", "pa/ss/wo/rd/lo"],
    ["an escape in it as it is", "pa%2Fss%2Fwo%2Frd%2Flo", "pa%252Fss%252Fwo%252Frd%252Flo"],
    ["both signs of base64 for URLs", "???>>>???>>>", "Pz8_Pj4-Pz8_Pj4-"],
  ])("hides a secret that comes back with %s", (_, secret, echo) => {
    expect(createRedactor([secret]).redact(`(${echo})`)).toBe(`(${REDACTED})`);
  });
});
