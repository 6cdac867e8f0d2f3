import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readWatchFile, readWatchReply } from "../../../src/config/settings/watch-list.ts";
import { watchKinds } from "../../../src/pollers/watch-kinds.ts";

const placesOf = (text: string, file = "w.yaml"): string[] => {
  const read = readWatchFile(watchKinds, file, text);
  return read.ok
    ? []
    : read.problem.map(({ line, column, message }) => `${line}:${column} ${message}`);
};

const DESKS = `- targets: ["0x8a"]
  labels: { kind: sender, alias: desk-a }
- targets: ["0x5f", "0x60"]
  labels: { kind: liquidation, __meta_from: discovery }
`;
const ENTRIES = [
  { kind: "sender", target: "0x8a", alias: "desk-a" },
  { kind: "liquidation", target: "0x5f" },
  { kind: "liquidation", target: "0x60" },
];

describe("a watch list in a file", () => {
  it("is read as Prometheus reads its own, from YAML and JSON", () => {
    expect(readWatchFile(watchKinds, "w.yaml", DESKS)).toEqual({ ok: true, value: ENTRIES });
    const json = JSON.stringify([
      { targets: ["0x8a"], labels: { kind: "sender", alias: "desk-a" } },
      { targets: ["0x5f", "0x60"], labels: { kind: "liquidation" } },
    ]);
    expect(readWatchFile(watchKinds, "w.json", json)).toEqual({ ok: true, value: ENTRIES });
    expect(readWatchFile(watchKinds, "w.json", "[]")).toEqual({ ok: true, value: [] });
  });

  it("that is too long for the parser of YAML is read from JSON, and a problem has its JSON path", () => {
    const alias = (index: number) => `${"a".repeat(80)}${index}`;
    const groups = Array.from({ length: 40_000 }, (_, index) => ({
      targets: [`0x${index}`],
      labels: { kind: "sender", alias: alias(index) },
    }));
    const read = readWatchFile(watchKinds, "w.json", JSON.stringify(groups));
    expect(read.ok && read.value.length).toBe(groups.length);
    const one = { targets: ["a b"], labels: { kind: "sender" } };
    const text = JSON.stringify([...groups, one]);
    expect(placesOf(text, "w.json")).toEqual([
      "1:1 $[40000].targets[0]: target must not hold spaces",
    ]);
    expect(placesOf(text)).toEqual(["1:1 the file is longer than 4000000 characters"]);
  });

  it("is as the example of the docs", () => {
    const example = join(import.meta.dirname, "../../../docs/examples/desks.yaml");
    const read = readWatchFile(watchKinds, example, readFileSync(example, "utf8"));
    expect(read).toMatchObject({ ok: true, value: { length: 5 } });
  });

  it.each<[string, string]>([
    ["", "1:1 must be a list of targets"],
    ["targets: []", "1:1 must be a list of targets"],
    ["- targets: [0x8a]\n  labels: { kind: sender }", "1:13 this entry must be text, not a number"],
    ["- targets: [a]\n  labels: {}", '2:3 the label "kind" is missing'],
    ["- targets: [a]\n  labels: { kind: sendr }", '2:19 there is no kind "sendr"'],
    ["- targets: [a]\n  labels: { kind: sender, alais: b }", '2:27 unknown label "alais"'],
    ["- target: [a]", '1:3 "targets" is missing'],
    [
      "- targets: [a, b]\n  labels: { kind: sender, alias: c }",
      "2:34 2 targets cannot have one alias",
    ],
    [
      "- targets: ['0x8a12...4f3c']\n  labels: { kind: sender }",
      "1:13 target must be written whole, not shortened",
    ],
    ["- targets: ['a b']\n  labels: { kind: sender }", "1:13 target must not hold spaces"],
    [
      "- targets: ['0xa']\n  labels: { kind: sender, alias: x }\n- targets: ['0xA']\n  labels: { kind: sender, alias: y }",
      '3:13 0xA is called "x" above, and "y" here',
    ],
    [
      "- targets: [a]\n  labels: { kind: sender, alias: x }\n- targets: [b]\n  labels: { kind: sender, alias: x }",
      '3:13 the alias "x" is that of a above',
    ],
    ["- targets: [a\n", "1:12 this bracket is not closed by a ]"],
  ])("is refused where it is wrong: %s", (text, place) => {
    expect(placesOf(text)[0]).toContain(place);
  });

  it("is told every problem at once, and no more than a person reads", () => {
    const text = `- targets: [1]\n  labels: { kind: sender }\n- targets: [a]\n  labels: { kind: x, y: z }\n`;
    expect(placesOf(text)).toHaveLength(3);
    const many = JSON.stringify(Array.from({ length: 90 }, () => ({ targets: [1] })));
    expect(placesOf(many, "w.json")).toHaveLength(51);
    expect(placesOf(many, "w.json").at(-1)).toBe("1:1 40 more problems are not shown");
  });

  it("says where in JSON it is wrong, too", () => {
    const text = `[\n  { "targets": ["a"], "labels": { "kind": "sendr" } }\n]`;
    expect(placesOf(text, "w.json")).toEqual(['2:43 there is no kind "sendr"']);
    expect(placesOf("[{", "w.json")[0]).toMatch(/^\d+:\d+ /);
    expect(placesOf("- targets: []", "w.json")[0]).toContain("is not JSON");
  });

  it("repeats no more of a long text than a person reads", () => {
    const long = "k".repeat(50_000);
    const text = JSON.stringify([{ targets: ["a"], labels: { kind: long, [long]: "x" } }]);
    expect(placesOf(text, "w.json").map(({ length }) => length < 1_000)).toEqual([true, true]);
    const reply = readWatchReply(watchKinds, text);
    const told = reply.ok ? [] : reply.problem;
    expect(told.map(({ length }) => length < 2_000)).toEqual([true, true]);
  });

  it("never makes the reader throw", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        readWatchFile(watchKinds, "w.json", text);
        readWatchFile(watchKinds, "w.yaml", text);
        readWatchReply(watchKinds, text);
      }),
    );
  });
});

const MANY = 130_000;
const many = (part: (index: number) => string): string =>
  Array.from({ length: MANY }, (_, index) => part(index)).join();

/** So many that one call with all of them as arguments would take more stack than there is. */
const WIDE: ReadonlyArray<[string, string, string]> = [
  [
    "targets that are none",
    `[{ "targets": [${many(() => "1")}] }]`,
    "$[0].targets[0]: this entry must be text, not a number (write it in quotes)",
  ],
  [
    "unknown labels",
    `[{ "targets": ["a"], "labels": { "kind": "sender", ${many((at) => `"l${at}": "x"`)} } }]`,
    '$[0].labels.l0: unknown label "l0" (known: kind, alias)',
  ],
  [
    "labels that are no text",
    `[{ "targets": ["a"], "labels": { "kind": "sender", ${many((at) => `"l${at}": 1`)} } }]`,
    '$[0].labels.l0: "l0" must be text, not a number (write it in quotes)',
  ],
  [
    "unknown keys",
    `[{ "targets": ["a"], ${many((at) => `"k${at}": 1`)} }]`,
    '$[0].k0: unknown key "k0" (known: targets, labels)',
  ],
  [
    "groups that are none",
    `[${many(() => "1")}]`,
    "$[0]: this entry must be a mapping of keys, not a number (its keys: targets, labels)",
  ],
  [
    "groups without labels",
    `[${many(() => '{ "targets": [] }')}]`,
    '$[0].labels: the label "kind" is missing (write labels: { kind: ',
  ],
];

describe("a watch list over HTTP", () => {
  it.each(WIDE)("with many %s is told the first, and how many more there are", (_, body, first) => {
    const reply = readWatchReply(watchKinds, body);
    const told = reply.ok ? [] : reply.problem;
    expect(told).toHaveLength(51);
    expect(told[0]).toContain(first);
    expect(told[50]).toBe(`$: ${MANY - 50} more problems are not shown`);
  });

  it.each([
    ["brackets alone", "[".repeat(4_000) + "]".repeat(4_000)],
    [
      "a key that is unknown",
      `[{ "targets": ["a"], "x": ${'{"a":'.repeat(4_000)}1${"}".repeat(4_000)} }]`,
    ],
  ])("that nests without end, in %s, is refused before it is parsed", (_, body) => {
    expect(readWatchReply(watchKinds, body)).toEqual({
      ok: false,
      problem: ["is nested deeper than 64 levels"],
    });
    expect(placesOf(body, "w.json")).toEqual(["1:1 more than 200 brackets are open at once"]);
  });

  it("may hold any number of brackets in its texts", () => {
    const body = JSON.stringify([{ targets: ["[".repeat(199)], labels: { kind: "sender" } }]);
    expect(readWatchReply(watchKinds, body)).toMatchObject({ ok: true });
  });

  it("is told its problems with their JSON path", () => {
    const body = JSON.stringify([{ targets: ["a"], labels: { kind: "sender", alias: " x" } }]);
    expect(readWatchReply(watchKinds, body)).toEqual({
      ok: false,
      problem: ["$[0].labels.alias: alias must not begin or end with a space"],
    });
    expect(readWatchReply(watchKinds, "<html>")).toMatchObject({ ok: false });
    expect(readWatchReply(watchKinds, "{}")).toMatchObject({
      problem: [expect.stringContaining("$: must be a list of targets")],
    });
  });
});
