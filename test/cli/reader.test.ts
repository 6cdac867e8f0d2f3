import { describe, expect, it } from "vitest";
import { recordingReader, type Reader } from "../../src/cli/reader.ts";
import { fail, succeed } from "../../src/domain/result.ts";

function files(contents: Record<string, string>): Reader {
  return {
    readText: (path) => {
      const text = contents[path];
      return text === undefined ? fail("no such file or directory") : succeed(text);
    },
    readRules: (directory) =>
      succeed(
        Object.entries(contents)
          .filter(([path]) => path.startsWith(`${directory}/`))
          .map(([name, text]) => ({ name, text })),
      ),
    isWorldWritable: () => false,
  };
}

describe("a reader that remembers", () => {
  it("is outdated once a file that it read says something else, is gone, or is there", () => {
    const contents: Record<string, string> = { "etc/a": "1", "rules/one.yaml": "x" };
    const read = () => {
      const reader = recordingReader(files(contents));
      reader.readText("etc/a");
      reader.readText("etc/missing");
      reader.readRules("rules");
      return reader;
    };
    for (const change of [
      () => (contents["etc/a"] = "2"),
      () => delete contents["etc/a"],
      () => (contents["etc/missing"] = "1"),
      () => (contents["rules/one.yaml"] = "y"),
      () => (contents["rules/two.yaml"] = "z"),
      () => delete contents["rules/one.yaml"],
    ]) {
      const reader = read();
      expect(reader.isOutdated()).toBe(false);
      change();
      expect(reader.isOutdated()).toBe(true);
    }
  });

  it("is not outdated by a file that it never read", () => {
    const contents: Record<string, string> = { "etc/a": "1" };
    const reader = recordingReader(files(contents));
    reader.readText("etc/a");
    contents["etc/b"] = "1";
    expect(reader.isOutdated()).toBe(false);
  });

  it("says where a change of what it read would show", () => {
    const reader = recordingReader(files({}));
    reader.readText("etc/aggwatch.yaml");
    reader.readText("run/secrets/key");
    reader.readRules("etc/rules");
    expect(reader.directories()).toEqual(["etc", "run/secrets", "etc/rules"]);
  });
});
