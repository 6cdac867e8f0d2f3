import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown, type RolldownOutput } from "rolldown";
import { chunkNames } from "./chunks.ts";
import { LEAN } from "./lean.ts";

/**
 * `npm run build [DIRECTORY]`: the package, ready for `npm pack`, in `dist` or the directory given. Its modules are
 * bundled, so that it needs no other package and starts sooner, as CommonJS, so that V8's code of them can be kept
 * (src/io/process/code-cache.ts). They are not minified: a stack trace is to be read. The same source gives the same
 * bytes.
 */
const ROOT = join(import.meta.dirname, "..");

/** The threads are modules of their own, as is what has to run on every Node there is. */
export const ENTRIES = {
  main: "src/main.ts",
  "check-thread": "src/io/journal/check-thread.ts",
  "backtest-thread": "src/backtest/backtest-thread.ts",
  "past-thread": "src/record/past/past-thread.ts",
  "files-thread": "src/io/console/files-thread.ts",
  worker: "src/simulation/worker.ts",
};

/** The console's module for the browser; nobody reads it, so it is minified. */
const CONSOLE = { console: "src/console/main.ts" };
const CONSOLE_STYLE = "src/console/style.css";

/** What `shippedFile` finds, and what a package has by custom. */
export const SHIPPED = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "deploy/demo",
  "deploy/scenarios",
  "docs/runbooks",
  "rules",
  "schemas",
];

/** Old syntax alone, as an old Node has to get as far as the sentence. */
const BIN = `#!/usr/bin/env node
var major = Number(process.versions.node.split(".")[0]);
if (major >= 24) require("../lib/main.js");
else {
  console.error("aggwatch needs Node 24 or newer, and this is Node " + process.versions.node + " (" + process.execPath + ").");
  process.exitCode = 1;
}
`;

export async function build(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const lib = join(directory, "lib");
  const bundle = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: "node",
    // Only the source asks where a package is.
    transform: { define: { "import.meta.resolve": "undefined" } },
    plugins: [...LEAN],
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.write({
    dir: lib,
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    comments: { jsdoc: false, annotation: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "needed", name: chunkNames(ROOT) }],
    },
  });
  await bundle.close();
  const inBrowser = await buildConsole(lib);
  const modules = [...output, ...inBrowser].flatMap((file) =>
    file.type === "chunk" ? file.moduleIds : [],
  );
  writeFileSync(join(directory, "THIRD-PARTY-LICENSES.txt"), licencesOf(modules));
  for (const path of SHIPPED) cpSync(join(ROOT, path), join(directory, path), { recursive: true });
  mkdirSync(join(directory, "bin"));
  writeFileSync(join(directory, "bin/aggwatch.js"), BIN, { mode: 0o755 });
  writeFileSync(join(directory, "package.json"), manifest());
}

async function buildConsole(lib: string): Promise<readonly RolldownOutput["output"][number][]> {
  const bundle = await rolldown({ cwd: ROOT, input: CONSOLE, platform: "browser" });
  const { output } = await bundle.write({
    dir: lib,
    format: "esm",
    entryFileNames: "[name].js",
    minify: true,
    codeSplitting: false,
  });
  await bundle.close();
  cpSync(join(ROOT, CONSOLE_STYLE), join(lib, "console.css"));
  return output;
}

/** The repository's own, without what is of use to development alone; all that is needed is in the bundle. */
function manifest(): string {
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const { name, version, description, license, engines } = own;
  const bin = { aggwatch: "bin/aggwatch.js" };
  const type = "commonjs";
  return `${JSON.stringify({ name, version, description, license, type, engines, bin }, undefined, 2)}\n`;
}

/** The licences of the packages that are bundled ask to be passed on with them. */
function licencesOf(modules: readonly string[]): string {
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Record<string, string>;
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
    return `${name} ${version}: ${license}\n${text}`;
  });
  return texts.toSorted().join(`\n${"-".repeat(80)}\n\n`);
}

if (import.meta.main) {
  const directory = process.argv[2] ?? join(ROOT, "dist");
  await build(directory);
  process.stdout.write(`${directory}\n`);
}
