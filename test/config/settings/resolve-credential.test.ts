import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { load, placesOf, problemsOf, settingsOf } from "./settings-text.ts";
import type { Given } from "./settings-text.ts";

const URL = "https://aggregator.example/x";

function withAct(act: string, rest: Given = {}): Given {
  return { ...rest, text: `aggregators:\n  - base_url: ${URL}\n    auth:\n      act: ${act}\n` };
}

function credential(act: string, rest: Given = {}) {
  return settingsOf(withAct(act, rest)).aggregators[0]?.auth.act;
}

describe("a credential", () => {
  it("comes from a file beside the config, or from a variable", () => {
    const files = { "etc/key": "s3cret\n" };
    const header = credential("{ type: header, name: X-API-KEY, value_file: key }", { files });
    expect(header?.type === "header" && [header.name, header.value.reveal()]).toEqual([
      "X-API-KEY",
      "s3cret",
    ]);
    const env = { TOKEN: "t0ken" };
    const bearer = credential("{ type: bearer, value_env: TOKEN }", { env });
    expect(bearer?.type === "bearer" && bearer.token.reveal()).toBe("t0ken");
    const basic = credential("{ type: basic, username: u, password_env: TOKEN }", { env });
    expect(basic?.type === "basic" && [basic.username, basic.password.reveal()]).toEqual([
      "u",
      "t0ken",
    ]);
  });

  it("may come from a variable whose name has our prefix", () => {
    const env = {
      AGGWATCH_BASE_URL: URL,
      AGGWATCH_AUTH_ACT_TYPE: "bearer",
      AGGWATCH_AUTH_ACT_VALUE_ENV: "AGGWATCH_TOKEN",
      AGGWATCH_TOKEN: "t0ken",
    };
    const act = settingsOf({ env }).aggregators[0]?.auth.act;
    expect(act?.type === "bearer" && act.token.reveal()).toBe("t0ken");
  });

  it.each([
    ["value_file", "https://hooks.example/s3cret"],
    ["value_file", `eyJ.s3cret.${"x".repeat(100)}`],
    ["value_file", '"-----BEGIN s3cret"'],
    ["value_file", '"s3cret\\nmore"'],
    ["value_env", "s3cret-token"],
  ])("is not shown if it stands where its place belongs: %s: %s", (key, value) => {
    const [problem] = problemsOf(withAct(`{ type: bearer, ${key}: ${value} }`));
    expect(problem).toMatchObject({ line: 4, id: "config/secret" });
    expect(problem?.message).toContain("and this is no name of one");
    expect(JSON.stringify(problem)).not.toContain("s3cret");
  });

  it("shows itself nowhere", () => {
    const env = { TOKEN: "t0ken" };
    const loaded = load(withAct("{ type: bearer, value_env: TOKEN }", { env }));
    const act = loaded.ok ? loaded.value.aggregators[0]?.auth.act : undefined;
    const token = act?.type === "bearer" ? act.token : undefined;
    for (const shown of [
      JSON.stringify(loaded),
      inspect(loaded, { depth: 20 }),
      `${token?.toString()}`,
    ]) {
      expect(shown).toContain("[redacted]");
      expect(shown).not.toContain("t0ken");
    }
  });

  it.each([
    ["{ type: bearer, value: s3cret }", "4:28 config/secret-in-config"],
    ["{ type: basic, username: u, password: s3cret }", "4:40 config/secret-in-config"],
    ["{ type: bearer }", "4:7 config/secret"],
    ["{ type: bearer, value_file: nope }", "4:40 config/secret"],
    ["{ type: bearer, value_file: empty }", "4:40 config/secret"],
    ["{ type: bearer, value_file: lines }", "4:40 config/secret"],
    ["{ type: bearer, value_env: UNSET }", "4:39 config/secret"],
    ["{ type: bearer, value_env: EMPTY }", "4:39 config/secret"],
    ["{ type: bearer, value_env: SET, value_file: key }", "4:39 config/secret"],
    ["{ type: header, value_env: SET }", "4:7 config/missing"],
    ["{ type: header, name: 'X API', value_env: SET }", "4:34 config/bad-value"],
    ["{ type: basic, password_env: SET }", "4:7 config/missing"],
    ["{ value_env: SET }", "4:14 config/unused-key"],
    ["{ type: bearer, username: u, value_env: SET }", "4:28 config/unused-key"],
    ["{ type: bearer, name: X, value_env: SET }", "4:28 config/unused-key"],
    ["{ type: digest }", "4:20 config/bad-value"],
    ["{ type: bearer, value_env: s3cret-token }", "4:39 config/secret"],
    ["s3cret", "4:12 config/bad-value"],
    ["{ type: header, name: Cookie, value_env: SET, cookie: s3cret }", "4:58 config/unknown-key"],
    ["{ type: bearer, value_file: [s3cret] }", "4:40 config/bad-value"],
  ])("is refused with its place, and never shown: %s", (act, place) => {
    const env = { EMPTY: " ", SET: "s3cret" };
    const files = { "etc/empty": "\n", "etc/lines": "s3cret\nmore", "etc/key": "s3cret" };
    const given = withAct(act, { env, files });
    expect(placesOf(given)).toEqual([place]);
    expect(JSON.stringify(problemsOf(given))).not.toContain("s3cret");
  });

  it.each([
    ["value_env: UNSET", "the environment variable UNSET is not set, or is empty"],
    ["value_env: BLANK", "the environment variable BLANK is not set, or is empty"],
    [
      "value_env: LINES",
      "the variable LINES holds more than one line, or characters that a header cannot carry",
    ],
    ["value_file: blank", "the secret file etc/blank is empty"],
    ["value_file: nope", "the secret file etc/nope cannot be read: no such file or directory"],
  ])("says what is wrong with a secret: %s", (where, message) => {
    const env = { BLANK: " \n", LINES: "a\nb" };
    const given = withAct(`{ type: bearer, ${where} }`, { env, files: { "etc/blank": " \n" } });
    expect(problemsOf(given).map((problem) => problem.message)).toEqual([message]);
  });
});
