import { describe, expect, it } from "vitest";
import { functionSizes } from "./functions.ts";
import { cycles, importsOf, packageOf } from "./imports.ts";
import { scan } from "./scan.ts";

const scanned = (text: string, path = "src/core/a.ts") => scan({ path, text });
const codeOf = (text: string): string => scanned(text).code;

describe("scan", () => {
  it("blanks comments and keeps where they were", () => {
    const file = scanned("a; // Date.now()\n/* two\nlines */ b;\n");
    expect(file.code).toBe("a;              \n      \n         b;\n");
    expect(file.comments).toEqual([
      { line: 1, text: "// Date.now()" },
      { line: 2, text: "/* two\nlines */" },
    ]);
  });

  it("blanks strings, also with quotes and backslashes inside", () => {
    expect(codeOf(String.raw`f("a\"b", 'c // d') + e`)).toBe(`f("    ", '      ') + e`);
  });

  it("keeps the code inside a template and blanks its text", () => {
    expect(codeOf("`now ${Date.now()} // ${`in ${{ a: 1 }.a}`} end` + b")).toBe(
      "`    ${Date.now()}    ${`   ${{ a: 1 }.a}`}    ` + b",
    );
  });

  it("tells a regular expression from a division", () => {
    expect(codeOf('x = /["`]/.test(y); z = a / b / c; return /[/"]/;')).toBe(
      "x = /    /.test(y); z = a / b / c; return /    /;",
    );
  });

  it("is as long as the text, whatever the text", () => {
    for (const text of ["'open", "`open ${", "/* open", "/open", "a\\", '"\\', "`\\"])
      expect(codeOf(text), text).toHaveLength(text.length);
  });

  it("counts lines from one", () => {
    const { lineOf } = scanned("a\nb\n\nc");
    expect([0, 1, 2, 4, 5].map((offset) => lineOf(offset))).toEqual([1, 1, 2, 3, 4]);
  });
});

describe("importsOf", () => {
  it("finds imports of values, types, effects, re-exports and those at run time", () => {
    const text = [
      'import { a } from "../domain/a.ts";',
      'import type { B } from "./b.ts";',
      'import c, * as d from "got";',
      'import "node:fs";',
      'export { e } from "./deep/e.ts";',
      'export * from "./f.ts";',
      'const g = await import("./g.ts");',
      "const text = 'import { h } from \"./h.ts\"';",
      "import {\n  i,\n  j,\n} from './i.ts';",
    ].join("\n");
    expect(importsOf(scanned(text)).map(({ line, path, specifier }) => [line, path ?? specifier]))
      // The last one starts on line 9, and names its file on line 12.
      .toEqual([
        [1, "src/domain/a.ts"],
        [2, "src/core/b.ts"],
        [3, "got"],
        [4, "node:fs"],
        [5, "src/core/deep/e.ts"],
        [6, "src/core/f.ts"],
        [7, "src/core/g.ts"],
        [12, "src/core/i.ts"],
      ]);
  });

  it("names the package of a deep import", () => {
    expect(packageOf("@noble/hashes/sha3.js")).toBe("@noble/hashes");
    expect(packageOf("hono/html")).toBe("hono");
  });
});

describe("cycles", () => {
  it("finds a circle and leaves a diamond alone", () => {
    const file = (name: string, ...targets: string[]) =>
      scanned(
        targets.map((target) => `import { x } from "./${target}.ts";`).join("\n"),
        `src/core/${name}.ts`,
      );
    expect(cycles([file("a", "b", "c"), file("b", "d"), file("c", "d"), file("d")])).toEqual([]);
    expect(cycles([file("a", "b"), file("b", "c"), file("c", "b")])).toEqual([
      ["src/core/b.ts", "src/core/c.ts", "src/core/b.ts"],
    ]);
  });
});

describe("functionSizes", () => {
  const sizes = (text: string) =>
    functionSizes(scanned(text)).map(({ name, lines }) => `${name} ${lines}`);

  it("measures functions, whatever their return type", () => {
    expect(sizes("function a(b: { c: number }): { d: string } | undefined {\n  e();\n}\n")).toEqual(
      ["a 3"],
    );
    expect(sizes("async function a<T>(b: T): Promise<{ c: T }> {\n\n\n}")).toEqual(["a 4"]);
    expect(sizes("export function isText(b: unknown): b is string {\n}")).toEqual(["isText 2"]);
    expect(sizes("function a(\n  b: string,\n): readonly string[] {\n  c();\n}")).toEqual(["a 5"]);
  });

  it("measures methods and arrow functions by their names", () => {
    expect(sizes("const a = (b: string): number => {\n  c();\n};")).toEqual(["a 3"]);
    expect(sizes("const a = {\n  b(c) {\n    d();\n  },\n  e: (f) => {\n  },\n};")).toEqual([
      "b 3",
      "e 2",
    ]);
    expect(sizes("const page = (a) => html`\n<p>\n</p>`;\nb();")).toEqual(["page 3"]);
  });

  it("takes no call, condition or loop for a function", () => {
    expect(sizes("if (a) {\n}\nfor (const b of c()) {\n}\nd(e, { f: g ? h(i) : j });")).toEqual([]);
  });
});
