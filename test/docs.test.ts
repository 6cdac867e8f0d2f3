import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { PRIVATE_WORDS } from "./architecture/words.ts";

const root = join(import.meta.dirname, "..");

const documents = [
  ...readdirSync(root).map((name) => join(root, name)),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) =>
    join(root, "docs", name),
  ),
].filter((path) => path.endsWith(".md"));

const textOf = (path: string): string => readFileSync(path, "utf8");
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? "");

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  return new Set(
    matches(text.replace(/^```[^]*?^```$/gm, ""), /^#+ (.+)$/gm).map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

describe("the documents", () => {
  it("link to files that are there", () => {
    expect(documents).toContain(join(root, "README.md"));
    const broken = documents.flatMap((path) =>
      matches(textOf(path), /\]\((?!https?:|#)([^)#\s]+)/g)
        .filter((target) => !existsSync(join(dirname(path), target)))
        .map((target) => `${relative(root, path)} links to ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("link to headings that are there", () => {
    const broken = documents.flatMap((path) =>
      [...textOf(path).matchAll(/\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)/g)]
        .filter(([, file = "", anchor = ""]) => {
          const target = file === "" ? path : join(dirname(path), file);
          return target.endsWith(".md") && !anchorsOf(textOf(target)).has(anchor);
        })
        .map(([, file = "", anchor]) => `${relative(root, path)} links to ${file}#${anchor}`),
    );
    expect(broken).toEqual([]);
  });

  it("name files of the tree that are there", () => {
    const pattern = /`((?:src|test|tools|bench|deploy|rules|docs)\/[\w/.-]+\.\w+)`/g;
    const gone = documents.flatMap((path) =>
      matches(textOf(path), pattern)
        .filter((name) => !/\bNAME\b/.test(name) && !existsSync(join(root, name)))
        .map((name) => `${relative(root, path)} names ${name}`),
    );
    expect(gone).toEqual([]);
  });

  it("name scripts that package.json has", () => {
    const { scripts } = JSON.parse(textOf(join(root, "package.json"))) as {
      scripts: Record<string, string>;
    };
    const named = documents.flatMap((path) => matches(textOf(path), /npm run (\w[\w:-]*)/g));
    expect(named).toContain("demo");
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it("name log lines that are logged, and not at debug alone", () => {
    const source = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => textOf(join(root, "src", name)))
      .join("\n");
    const named = documents.flatMap((path) => matches(textOf(path), /\blog line\s+`([^`]+)`/g));
    expect(named).toContain("reloaded");
    const calls = String.raw`\blog\.(?:info|warn|error|fatal)\([^;]*?|"(?:info|warn)", `;
    const isLogged = (line: string): boolean => new RegExp(`(?:${calls})"${line}\\b`).test(source);
    expect(named.filter((line) => !isLogged(line))).toEqual([]);
  });

  it("keep their prose within 120 columns, so that it can be read and compared in a terminal", () => {
    // Texts that the code holds are written there as one line.
    const generated = new Set(["docs/lint.md", "docs/rules.md"]);
    const long = documents
      .filter((path) => !generated.has(relative(root, path)))
      .flatMap((path) =>
        textOf(path)
          .replace(/^ *```[^]*?^ *```$/gm, (block) => block.replace(/[^\n]/g, ""))
          .split("\n")
          .flatMap((line, index) =>
            [...line].length > 120 && !/^\s*\||\]\(|`[^`]{80,}`/.test(line)
              ? [`${relative(root, path)}:${index + 1}`]
              : [],
          ),
      );
    expect(long).toEqual([]);
  });

  it("use the field's words", () => {
    const found = documents
      .filter((path) => !path.endsWith("CHANGELOG.md"))
      .flatMap((path) =>
        PRIVATE_WORDS.flatMap(({ pattern, instead }) =>
          [...textOf(path).matchAll(pattern)].map(
            ([word]) => `${relative(root, path)} says "${word}": ${instead}`,
          ),
        ),
      );
    expect(found).toEqual([]);
  });

  it("give every decision a status", () => {
    const decisions = documents.filter((path) => path.includes("decisions"));
    expect(decisions.length).toBeGreaterThan(0);
    for (const path of decisions) expect(textOf(path), path).toMatch(/^\*Status: \w+.*\*$/m);
  });
});
