import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LEAN } from "../../tools/lean.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-lean-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** What a module exports as `text` once it is bundled as the package is. */
async function bundled(source: string): Promise<unknown> {
  const own = mkdtempSync(join(directory, "a-"));
  const [input, file] = [join(own, "input.js"), join(own, "output.mjs")];
  writeFileSync(input, source);
  const bundle = await rolldown({ input, plugins: [...LEAN] });
  try {
    await bundle.write({ file });
  } finally {
    await bundle.close();
  }
  return ((await import(file)) as { readonly text: unknown }).text;
}

it("leaves what a text, a template and a pattern mean", async () => {
  const source = "export const text = ['é…😀', `${1}…`, '…'.replace(/[…]/u, 'a')];";
  expect(await bundled(source)).toEqual(["é…😀", "1…", "a"]);
});

it("refuses a raw template that would mean something else", async () => {
  await expect(bundled("export const text = String.raw`a…`;")).rejects.toThrow("String.raw`a…`");
});
