import { describe, expect, it } from "vitest";
import { environmentOf } from "./dockerfile.ts";
import { read } from "./rule-files.ts";

/** docs/operations.md, "How much memory it needs". */
describe("malloc's arenas", () => {
  it("are one in the image and in the unit of systemd", () => {
    expect(environmentOf()["MALLOC_ARENA_MAX"]).toBe("1");
    expect(read("deploy/systemd/aggwatch.service")).toMatch(/^Environment=MALLOC_ARENA_MAX=1$/m);
  });
});
