import { describe, expect, it } from "vitest";
import {
  problemAtPath,
  readYamlFile,
  readYamlSource,
} from "../../../src/config/yaml/yaml-source.ts";
import type { YamlPath } from "../../../src/config/yaml/yaml-source.ts";

function sourceOf(text: string) {
  const read = readYamlSource("a.yaml", text);
  if (!read.ok) throw new Error(JSON.stringify(read.problem));
  return read.value;
}

function problemsOf(text: string) {
  const read = readYamlSource("a.yaml", text);
  return read.ok ? [] : read.problem;
}

describe("readYamlSource", () => {
  it("says where the syntax is wrong, and all of it", () => {
    expect(problemsOf("a: [1\nb: }\n").map(({ line, id }) => `${line} ${id}`)).toContain(
      "2 yaml/syntax",
    );
  });

  it("says of a list that is too long just that", () => {
    expect(problemsOf(`[${"1,".repeat(100_000)}1]`)).toEqual([
      {
        id: "yaml/too-wide",
        file: "a.yaml",
        line: 1,
        column: 1,
        message: "a list or mapping has more than 100000 entries",
      },
    ]);
  });

  it("shows no line that is longer than any that people write", () => {
    const [short, long] = ["a", "a".repeat(10_000)].map((text) => problemsOf(`${text}: [`)[0]);
    expect(short).toHaveProperty("excerpt", "a: [");
    expect(long).not.toHaveProperty("excerpt");
  });

  it("finds a key that occurs twice", () => {
    expect(problemsOf("a: 1\nb: 2\na: 3\n")).toMatchObject([
      {
        id: "yaml/duplicate-key",
        line: 3,
        column: 1,
        message: "this key occurs twice, first at 1:1",
      },
    ]);
  });

  it("finds keys that occur twice in the order of the text, whatever else is wrong in it", () => {
    const text = "a: 1\na: 2\nb: { c: 1, c: 2 }\nd: [1}\nb: 3\n";
    expect(problemsOf(text).map(({ line, column, id }) => `${line}:${column} ${id}`)).toEqual([
      "2:1 yaml/duplicate-key",
      "3:12 yaml/duplicate-key",
      "4:4 yaml/syntax",
      "5:1 yaml/duplicate-key",
    ]);
  });

  it("reads as many keys as a mapping may have, and finds the one that occurs twice", () => {
    const keys = Array.from({ length: 99_999 }, (_, index) => `k${index}: 1\n`).join("");
    expect(Object.keys(sourceOf(keys).value as object)).toHaveLength(99_999);
    expect(problemsOf(`${keys}k7: 2\n`)).toMatchObject([
      { line: 100_000, message: "this key occurs twice, first at 8:1" },
    ]);
  });

  it("refuses more aliases than a file has, of which each costs a look at the whole text", () => {
    const anchors = (aliases: number): string => "- &a x\n- *a\n".repeat(aliases);
    expect(sourceOf(anchors(5_000)).value).toHaveLength(10_000);
    const problem = { line: 10_002, column: 3, id: "yaml/alias" };
    const message = "this is one alias more than the 5000 that a file may have";
    expect(problemsOf(anchors(40_000))).toMatchObject([{ ...problem, message }]);
  });

  it.each([
    [
      "a tab, whatever follows from it",
      "groups:\n  - rules:\n      - alert: A\n\t- alert: x\n",
      "4:1 yaml/syntax a tab indents this line",
    ],
    [
      "a no-break space before a list, whatever follows from it",
      "a:\n \u00A0- name: x\n    url: y\n",
      "2:2 yaml/syntax a space that YAML does not know (U+00A0) indents this line",
    ],
    [
      "a no-break space before a key, which it would be a part of",
      "a:\n  b: 1\n\u00A0\u00A0c: 2\n",
      "3:1 yaml/syntax a space that YAML does not know (U+00A0) indents this line",
    ],
    ["a quote", 'a: { b: "http://x\nc: 1\n', "1:9 yaml/syntax this quote is not closed"],
    ["a quote in a block", "a: 1\nb: 'x\nc: 2\n", "2:4 yaml/syntax this quote is not closed"],
    ["a bracket", "a: [1, 2\nb: 3\n", "1:4 yaml/syntax this bracket is not closed by a ]"],
    [
      "the innermost of several brackets",
      "a: [1, { b: 2\nc: 1\n",
      "1:8 yaml/syntax this bracket is not closed by a }",
    ],
    ["an alias", "a: 1\nb: *foo\n", "2:4 yaml/alias there is no anchor &foo before this alias"],
    [
      "an alias before its anchor",
      "a: *b\nc: &b 1\n",
      "1:4 yaml/alias there is no anchor &b before this alias",
    ],
    ["a second document", "a: 1\n---\nb: 2\n", "2:1 yaml/syntax a second document begins here"],
  ])("says where %s is wrong, and once", (_, text, expected) => {
    expect(
      problemsOf(text).map(({ line, column, id, message }) => `${line}:${column} ${id} ${message}`),
    ).toEqual([expected]);
  });

  it("hides what stands beside a quote that is not closed, if it may be a secret", () => {
    const [problem] = problemsOf('auth: { value: "s3cret\n');
    expect(problem).toMatchObject({ line: 1, column: 16 });
    expect(problem?.excerpt).toBeUndefined();
  });

  it.each(['slack: "https://h/x', 'webhook: { at: "https://h/x', "notify: [ https://h/x"])(
    "hides the line of a receiver's URL: %s",
    (line) => {
      const [problem] = problemsOf(line);
      expect(problem).toMatchObject({ line: 1 });
      expect(problem?.excerpt).toBeUndefined();
    },
  );

  it.each([
    "auth_of_reader",
    "authorization_header_for_reading_of_the_aggregator",
    `x_${"long_".repeat(500)}auth_${"long_".repeat(500)}of_it`,
    "token_of_reader",
    "api-key-of-reader",
    "'Passwords'",
    "auth_für_leser",
    "value_env",
    "url",
  ])("hides the line of a key that may be that of a secret, however long it is: case %#", (key) => {
    const problems = problemsOf(`a: 1\n${key}: hunter2 : x\n`);
    expect(problems[0]).toMatchObject({ line: 2 });
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it.each(["base_url", "values", "name"])("shows the line of the key %s", (key) => {
    expect(problemsOf(`${key}: b : x\n`)[0]).toHaveProperty("excerpt", `${key}: b : x`);
  });

  it.each([
    ["when: !has(a.b) && c", 7, 9],
    ["when: !(a == b)", 7, 3],
    ["when: ! a && b", 7, 1],
    ["list:\n  - !a", 5, 2],
    ["!a: b", 1, 3],
  ])(
    "takes no tag for the beginning of a text, which would be dropped: %s",
    (text, column, length) => {
      const hint = "if it is one text, write single quotes around all of it: '…'";
      expect(problemsOf(text)).toContainEqual(
        expect.objectContaining({ id: "yaml/tag", column, length, hint }),
      );
    },
  );

  it("takes such a text in quotes or in a block, and tags of YAML's own", () => {
    const text = "a: '!b && c'\nd: >-\n  !b && c\ne: !!str 1\nf: x != y !z\n";
    const value = { a: "!b && c", d: "!b && c", e: "1", f: "x != y !z" };
    expect(sourceOf(text).value).toEqual(value);
  });

  it.each([
    ["flow lists", "[".repeat(100_000)],
    ["flow mappings", "{a: ".repeat(10_000)],
    ["block lists", `${"- ".repeat(5_000)}x`],
    ["mappings", Array.from({ length: 60 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["too long", "a".repeat(2_000_000)],
    [
      "an alias bomb",
      [
        "a: &a [x, x, x, x, x, x, x, x, x]",
        ...["b", "c", "d", "e", "f"].map((name, index) => {
          const before = String.fromCodePoint("a".codePointAt(0)! + index);
          return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`;
        }),
      ].join("\n"),
    ],
  ])("refuses what could hang or break the process: %s", (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  it("keeps a key that would be a prototype as a key", () => {
    const { value } = sourceOf("__proto__: { polluted: 1 }");
    expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("problemAtPath", () => {
  const source = sourceOf(
    [
      "base: &base { x: 1 }",
      "list:",
      "  - name: first",
      "    auth: { value: s3cret }",
      "copy: *base",
    ].join("\n"),
  );
  const place = (path: YamlPath, at?: "key" | "value") => {
    const {
      line,
      column,
      length,
      path: text,
    } = problemAtPath(source, path, { id: "x", message: "y" }, at);
    return [line, column, length, text];
  };

  it("points at a value, at a key, and at what is nearest to what is missing", () => {
    expect(place(["list", 0, "name"])).toEqual([3, 11, 5, "list[0].name"]);
    expect(place(["list", 0, "name"], "key")).toEqual([3, 5, 4, "list[0].name"]);
    expect(place(["list", 0, "missing"])).toEqual([3, 5, 1, "list[0].missing"]);
    expect(place(["list", 7, "name"])).toEqual([2, 1, 4, "list[7].name"]);
    expect(place(["copy", "x"])).toEqual([1, 18, 1, "copy.x"]);
  });

  it("shows the line, unless a secret may stand in it", () => {
    const details = { id: "x", message: "y" };
    expect(problemAtPath(source, ["list", 0, "name"], details).excerpt).toBe("  - name: first");
    expect(problemAtPath(source, ["list", 0, "auth"], details).excerpt).toBeUndefined();
  });

  it("looks for a secret in time that is in proportion to the path", () => {
    const details = { id: "x", message: "y" };
    for (const [path, excerpt] of [
      ["a".repeat(1_000_000), "copy: *base"],
      ["auth".repeat(250_000), undefined],
      ["a ".repeat(500_000), "copy: *base"],
      [`a${" ".repeat(1_000_000)}a`, "copy: *base"],
    ] as const)
      expect(problemAtPath(source, ["copy", path], details).excerpt).toBe(excerpt);
  });
});

describe("readYamlFile", () => {
  it("reads a file once for all who ask for it, and once more what was read again", () => {
    const file = { name: "a.yaml", text: "a: 1" };
    expect(readYamlFile(file)).toBe(readYamlFile(file));
    const changed = { ...file, text: "a: 2" };
    expect(readYamlFile(changed)).toMatchObject({ value: { value: { a: 2 } } });
  });
});
