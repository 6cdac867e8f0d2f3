import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { giveName } from "../../../src/io/journal/file.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

it("a file gets its name only if no other has it by then", () => {
  const room = temporaryDirectory();
  onTestFinished(room.remove);
  const [file, made] = [join(room.path, "file"), join(room.path, "made")];
  for (const [content, isGiven] of [
    ["first", true],
    ["second", false],
  ] as const) {
    writeFileSync(made, content);
    expect(giveName(made, file)).toBe(isGiven);
    expect(existsSync(made)).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("first");
  }
});
