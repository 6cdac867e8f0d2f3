import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { commandLine } from "../command-line.ts";

describe("aggwatch journal", () => {
  it.for(["check", "info", "repair", "copy"])(
    "refuses a file that it would not look at: %s",
    async (what) => {
      expect(await commandLine(["journal", what, "backup.sqlite"])).toStrictEqual({
        exitCode: 2,
        printed: "",
        complained: `journal ${what} takes no FILE (aggwatch journal --help)`,
      });
    },
  );

  it.for(["check", "info", "repair", "copy"])(
    "refuses the address of a running aggwatch, as it would look elsewhere: %s",
    async (what) => {
      const env = { AGGWATCH_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
      const args = ["journal", what, "--url", "http://127.0.0.1:1"];
      expect(await commandLine(args, env)).toStrictEqual({
        exitCode: 2,
        printed: "",
        complained: `journal ${what} takes no --url (aggwatch journal --help)`,
      });
    },
  );

  it.for([
    [["check", "--from", "/other"], "check takes no --from"],
    [["info", "--to", "/other"], "info takes no --to"],
    [["copy", "--from", "/one", "--to", "postgres", "--data", "/other"], "copy takes no --data"],
    [["repair", "--json"], "repair takes no --json"],
    [["check", "--token-file", "/other"], "check takes no --token-file"],
    [["backup", "a.sqlite", "--json"], "backup takes no --json"],
    [["backup", "--url", "http://127.0.0.1:1", "--data", "/other"], "backup --url takes no --data"],
  ] as const)("refuses an option that would have no effect: %j", async ([args, problem]) => {
    const env = { AGGWATCH_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    expect(await commandLine(["journal", ...args], env)).toStrictEqual({
      exitCode: 2,
      printed: "",
      complained: `journal ${problem} (aggwatch journal --help)`,
    });
  });

  it.for([[[]], [["a.sqlite", "--url", "http://127.0.0.1:1"]]])(
    "asks where a backup goes, or who makes it, but not for both: %j",
    async ([args = []]) => {
      const env = { AGGWATCH_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
      expect(await commandLine(["journal", "backup", ...args], env)).toMatchObject({
        exitCode: 2,
        complained: expect.stringMatching(/^Say FILE, .* or --url, /),
      });
    },
  );

  it("looks into --data though nothing can read the address of the config's database", async () => {
    const room = temporaryDirectory();
    onTestFinished(room.remove);
    const config = join(room.path, "aggwatch.yaml");
    writeFileSync(config, "journal: { postgres: { url_file: no-such-file } }\n");
    const args = ["journal", "check", "--config", config];
    expect((await commandLine(args)).complained).toContain("no-such-file");
    expect(await commandLine([...args, "--data", room.path])).toMatchObject({
      exitCode: 1,
      complained: `there is no journal in ${room.path}: journal.sqlite is missing`,
    });
  });
});
