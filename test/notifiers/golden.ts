import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Bodies that are written down and reviewed like code. `UPDATE_DOCS=1` writes them again. */
const directory = join(import.meta.dirname, "golden");

export function goldenNames(): string[] {
  return readdirSync(directory).sort();
}

export function expectGolden(name: string, body: string): void {
  const file = join(directory, name);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, body);
  const hint = `test/notifiers/golden/${name} is missing or differs: UPDATE_DOCS=1 npx vitest run test/notifiers`;
  expect(existsSync(file) ? readFileSync(file, "utf8") : undefined, hint).toBe(body);
}
