import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CoreMutant } from "./mutant.ts";

/** What became of a mutant. */
export type Hunted = {
  readonly name: string;
  /** The seed that found it; undefined where none did. */
  readonly seed?: number;
  readonly invariant?: string;
  readonly text?: string;
  readonly seconds: number;
};

export type HuntOptions = {
  /** It is looked for with the seeds 1 to this. */
  readonly seeds: number;
  /** How long one hunt may take; one that hangs is found by that. */
  readonly longestSeconds?: number;
};

const ROOT = join(import.meta.dirname, "../..");
const USUAL_LIMIT = 1_200;

/** How often the text that a mutant replaces occurs in its file: once, or the mutant is out of date. */
export function occurrences({ file, find }: CoreMutant): number {
  return readFileSync(join(ROOT, file), "utf8").split(find).length - 1;
}

/** Runs the simulation on a copy of the tree with one mutant in it, or with none. */
export async function huntCore(
  mutant: CoreMutant | undefined,
  { seeds, longestSeconds = USUAL_LIMIT }: HuntOptions,
): Promise<Hunted> {
  const name = mutant?.name ?? "none";
  const copy = mkdtempSync(join(tmpdir(), "aggwatch-mutant-"));
  try {
    for (const part of ["src", "rules", "package.json", "test/mutants"]) {
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    if (mutant !== undefined) apply(mutant, copy);
    const startedAt = performance.now();
    const { minutes = 12, replicas = 0, shards = 0, rules = "rules" } = mutant ?? {};
    const args = [1, seeds, minutes, replicas, shards, rules];
    const found = await firstViolation(copy, args, longestSeconds);
    return { name, ...found, seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function apply({ name, file, find, replace }: CoreMutant, copy: string): void {
  const text = readFileSync(join(copy, file), "utf8");
  const pieces = text.split(find);
  if (pieces.length !== 2) {
    throw new Error(`${name}: its text occurs ${pieces.length - 1} times in ${file}, not once`);
  }
  writeFileSync(join(copy, file), pieces.join(replace));
}

type Found = Pick<Hunted, "seed" | "invariant" | "text">;

/** A process of its own, so that a mutant can neither hang nor break the hunt. */
async function firstViolation(
  copy: string,
  args: ReadonlyArray<number | string>,
  longest: number,
): Promise<Found> {
  const script = join(copy, "test/mutants/first-violation.ts");
  const child = spawn(process.execPath, [script, ...args.map(String)], { cwd: copy });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, longest * 1_000);
  const code = await new Promise<number | null>((resolve) => void child.on("close", resolve));
  clearTimeout(timer);
  if (isLate) return { seed: 0, invariant: "hangs", text: `no end within ${longest} s` };
  if (code !== 0) return { seed: 0, invariant: "breaks", text: errors.trim().slice(0, 500) };
  return JSON.parse(output) as Found;
}
