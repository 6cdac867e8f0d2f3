import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf } from "../../../src/console/text/markdown.ts";

const RUNBOOKS = join(import.meta.dirname, "../../../docs/runbooks");

describe("the Markdown of runbooks", () => {
  it("is read as headings, paragraphs, lists and code", () => {
    const text =
      "# T\n\nOne `a` **b**\ntwo [c](d.md).\n\n1. x\n   y\n2. z\n\n```sh\nls\n\nls\n```\n";
    expect(blocksOf(text)).toEqual([
      { type: "heading", level: 1, spans: [{ type: "text", text: "T" }] },
      {
        type: "paragraph",
        spans: [
          { type: "text", text: "One " },
          { type: "code", text: "a" },
          { type: "text", text: " " },
          { type: "strong", text: "b" },
          { type: "text", text: " two " },
          { type: "link", text: "c", to: "d.md" },
          { type: "text", text: "." },
        ],
      },
      {
        type: "list",
        isOrdered: true,
        items: [[{ type: "text", text: "x y" }], [{ type: "text", text: "z" }]],
      },
      { type: "code", text: "ls\n\nls" },
    ]);
  });

  it.each(readdirSync(RUNBOOKS))("loses no word of %s", (file) => {
    const text = readFileSync(join(RUNBOOKS, file), "utf8");
    const read = JSON.stringify(blocksOf(text));
    const words = text.replaceAll(/\]\([^)]*\)|```\w*/g, " ").match(/[A-Za-z]{4,}/g) ?? [];
    expect(words.filter((word) => !read.includes(word))).toEqual([]);
    expect(blocksOf(text)[0]).toMatchObject({ type: "heading", level: 1 });
  });
});
