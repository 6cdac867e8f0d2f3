/** Tests src/config/settings: heartbeat. */
import { describe, expect, it } from "vitest";
import { fail, succeed } from "../../../src/domain/result.ts";
import { loadSettings } from "../../../src/config/settings/settings.ts";
import { entriesText } from "../../../src/config/settings/setting-entries.ts";
import { settingChanges } from "../../../src/config/settings/setting-entries.ts";
import { SECOND } from "../../../src/domain/time.ts";

const URL_TEXT = "https://hc.example/ping/5f2c0d1e-secret";

function load(lines: readonly string[], env: Record<string, string> = {}) {
  const text = ["notify:", "  heartbeat:", ...lines.map((line) => `    ${line}`), ""].join("\n");
  return loadSettings({
    file: { name: "aggwatch.yaml", text },
    env,
    flags: { "base-url": "http://127.0.0.1:1" },
    readText: (path) => (path.endsWith("hc-url") ? succeed(`${URL_TEXT}\n`) : fail("not there")),
  });
}

function problemsOf(result: ReturnType<typeof load>): string[] {
  if (result.ok) throw new Error("it has no problem");
  return result.problem.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe("notify.heartbeat", () => {
  it("reads its URL from a file or a variable, and has defaults for the rest", () => {
    for (const result of [
      load(["url_file: hc-url"]),
      load(["url_env: HC_URL"], { HC_URL: URL_TEXT }),
    ]) {
      if (!result.ok) throw new Error(JSON.stringify(result.problem));
      const { heartbeat } = result.value;
      expect(heartbeat?.url.reveal()).toBe(URL_TEXT);
      expect(heartbeat).toMatchObject({
        everyMs: 60 * SECOND,
        timeoutMs: 10 * SECOND,
        needsNotifier: false,
      });
    }
  });

  it("is off if it is not given", () => {
    const none = loadSettings({
      env: {},
      flags: { "base-url": "http://127.0.0.1:1" },
      readText: () => fail(""),
    });
    expect(none.ok && none.value.heartbeat).toBeUndefined();
    expect(none.ok && none.value.stuckAfterMs).toBe(60 * SECOND);
  });

  it.each([
    [["every: 1m"], "a secret is missing: set url_file or url_env"],
    [["url_file: missing"], "the secret file missing cannot be read"],
    [["url_file: hc-url", "url_env: HC_URL"], "set one of url_file and url_env, not both"],
    [["url: https://hc.example/ping/x"], "so it is a secret; use url_file or url_env"],
    [["url_file: hc-url", "evry: 1m"], 'unknown key "evry"'],
    [["url_file: hc-url", "every: 0s"], "must be longer than 0"],
    [["url_file: hc-url", "every: 900ms"], "must be at least 1s"],
  ])("refuses %j", (lines, message) => {
    const problems = problemsOf(load(lines));
    expect(problems.join("\n")).toContain(message);
    for (const problem of problems) expect(problem).toMatch(/^[1-9]\d*:[1-9]\d* /);
  });

  it("refuses what is not a URL, and does not repeat it", () => {
    const problems = problemsOf(load(["url_env: HC_URL"], { HC_URL: "ftp://secret.example/x" }));
    expect(problems).toEqual(["3:14 what it holds is not an http or https URL"]);
  });

  it("is compared with its URL, and shown without", () => {
    const one = load(["url_env: HC_URL"], { HC_URL: URL_TEXT });
    const other = load(["url_env: HC_URL"], { HC_URL: `${URL_TEXT}2` });
    if (!one.ok || !other.ok) throw new Error("a problem");
    const shown = "[redacted]";
    expect(settingChanges(one.value, other.value)).toEqual([
      { key: "notify.heartbeat.url", before: shown, after: shown },
    ]);
    expect(entriesText(one.value.entries)).not.toContain("hc.example");
  });
});
