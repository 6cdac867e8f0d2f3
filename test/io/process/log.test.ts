import { describe, expect, it } from "vitest";
import { createLog, type LogSettings } from "../../../src/io/process/log.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";

function logged(settings: Partial<LogSettings> = {}, isTerminal = false) {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "auto", ...settings }, { isTerminal }, (line) =>
    lines.push(line),
  );
  const parsed = (): Array<Record<string, unknown>> =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, parsed };
}

describe("the log", () => {
  it("is one JSON object a line, with level, time, fields and message", () => {
    const { log, lines, parsed } = logged();
    log.info({ aggregator: "bsc", note: "two\nlines \u001b[31m" }, "watching");
    log.warn("plain");
    expect(lines.every((line) => !line.includes("\n"))).toBe(true);
    expect(parsed()).toEqual([
      {
        level: "info",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        aggregator: "bsc",
        note: "two\nlines \u001b[31m",
        msg: "watching",
      },
      { level: "warn", time: expect.any(String), msg: "plain" },
    ]);
    expect(lines[0]).not.toContain("\u001b");
  });

  it("leaves out what is below its level", () => {
    const { log, parsed } = logged({ level: "warn" });
    log.info("no");
    log.error("yes");
    expect(parsed().map(({ msg }) => msg)).toEqual(["yes"]);
  });

  it("is pretty on a terminal, and JSON elsewhere, unless it is told which", () => {
    const isPretty = (settings: Partial<LogSettings>, isTerminal: boolean): boolean => {
      const { log, lines } = logged(settings, isTerminal);
      log.info({ aggregator: "bsc" }, "watching");
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("watching");
      expect(lines[0]).toContain("bsc");
      return !lines[0]?.startsWith("{");
    };
    expect(isPretty({}, true)).toBe(true);
    expect(isPretty({}, false)).toBe(false);
    expect(isPretty({ format: "pretty" }, false)).toBe(true);
    expect(isPretty({ format: "json" }, true)).toBe(false);
  });

  it("is coloured only if it is to be, whatever it is written to", () => {
    for (const isTerminal of [true, false])
      for (const isColoured of [true, false]) {
        const lines: string[] = [];
        const output = { isTerminal, isColoured };
        const add = (line: string): void => void lines.push(line);
        createLog({ level: "info", format: "pretty" }, output, add).info("poll");
        expect(lines.join().includes("\u001b["), JSON.stringify(output)).toBe(isColoured);
      }
  });

  it("says on a terminal that its times are UTC, as all others are", () => {
    const { log, lines } = logged({ format: "pretty" });
    log.info("poll");
    expect(lines.join()).toMatch(/\[\d\d:\d\d:\d\dZ\]/);
  });

  it("lets no aggregator's text steer the terminal", () => {
    const { log, lines } = logged({ format: "pretty" });
    log.info({ detail: "\u001b[2J\u0007 hostile\nline" }, "poll");
    for (const control of ["\u001b", "\u0007"]) expect(lines.join("\n")).not.toContain(control);
    expect(lines.join("\n").split("\n")).toHaveLength(1);
  });

  it("never writes a credential, wherever its field is", () => {
    const { log, lines } = logged();
    const headers = { authorization: "hunter2", "X-API-KEY": "hunter2" };
    log.info({ authorization: "hunter2", token: "hunter2", headers }, "top");
    log.info({ request: { headers, password: "hunter2", secret: "hunter2" } }, "nested");
    expect(lines.join()).not.toContain("hunter2");
    expect(lines.join()).toContain("[redacted]");
  });

  it("writes no secret of the settings, whatever holds it, and stays JSON", () => {
    const lines: string[] = [];
    const { redactOwn } = createRedactor(["nQ7vK2x9Lw4Rt8Hn5"]);
    const log = createLog(
      { level: "info", format: "json" },
      { isTerminal: false },
      (line) => lines.push(line),
      {
        redactOwn,
      },
    );
    const text = "a\nnQ7vK2x9Lw4Rt8Hn5";
    log.info({ deep: [{ [text]: text }], err: new Error(`Invalid URL: ${text}`) }, "odd");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      deep: [{ "a\n[redacted]": "a\n[redacted]" }],
      err: { message: "Invalid URL: a\n[redacted]" },
    });
    expect(lines.join()).not.toContain("Q7vK2x9L");
  });

  it("writes of an error what it says, why and where, and none of its other fields", () => {
    const { log, parsed, lines } = logged();
    const cause = new TypeError("the reason");
    const options = { headers: { authorization: "hunter2" } };
    const error = Object.assign(new Error("it failed", { cause }), { options });
    log.error({ err: error }, "bug");
    log.error({ err: "just text" }, "bug");
    expect(parsed().map(({ err }) => err)).toEqual([
      {
        type: "Error",
        message: "it failed (the reason)",
        stack: expect.stringContaining("log.test.ts"),
      },
      { message: "just text" },
    ]);
    expect(lines.join()).not.toContain("hunter2");
  });
});
