import { describe, expect, it } from "vitest";
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
});
