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
});
