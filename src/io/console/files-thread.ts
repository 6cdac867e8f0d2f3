import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { posix } from "node:path";
import { parentPort } from "node:worker_threads";
import { isSource, ownModule } from "../process/own-files.ts";
import type { ReadFile, ReadFiles } from "./files.ts";

/** The entry of the thread that reads the console's files, and posts them. */

/** The libraries of the console, by the names under which its modules import them. */
const LIBRARIES = ["preact", "preact/hooks", "@preact/signals", "@preact/signals-core", "htm"];

const TYPES = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

type Texts = Map<string, { readonly type: keyof typeof TYPES; readonly text: string }>;

/** From source: each module by itself, without its types, and the libraries as installed. */
function sourceFiles(): Omit<ReadFiles, "hash" | "files"> & { texts: Texts } {
  const texts: Texts = new Map();
  const folder = ownModule("console/");
  const own = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `console/${name.replaceAll("\\", "/")}`);
  // Modules that they share with the daemon are added on the way.
  const paths = new Set(own);
  for (const path of paths) {
    const text = stripTypeScriptTypes(readFileSync(ownModule(path), "utf8"));
    texts.set(path, { type: "js", text });
    for (const imported of importsOf(path, text)) paths.add(imported);
  }
  const imports: Record<string, string> = {};
  for (const name of LIBRARIES) {
    const path = `libraries/${name.replaceAll(/[@/]/g, "_")}.js`;
    const text = readFileSync(new URL(import.meta.resolve(name)), "utf8");
    texts.set(path, { type: "js", text: text.replace(/\n\/\/# sourceMappingURL=.*/, "") });
    imports[name] = path;
  }
  texts.set("console/style.css", {
    type: "css",
    text: readFileSync(ownModule("console/style.css"), "utf8"),
  });
  const entry = "console/main.ts";
  return {
    entry,
    first: [...Object.values(imports), ...startedBy(entry, texts)],
    style: "console/style.css",
    imports,
    texts,
  };
}

/** The static imports of a module, without those by a call of `import()`. */
const IMPORT = /^(?:import|export)\b[^;"]*"(\.[^"]+)"/gm;

function importsOf(path: string, text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, name = ""]) => posix.join(posix.dirname(path), name));
}

/** The modules that the entry needs to start, in the order in which it imports them. */
function startedBy(entry: string, texts: Texts): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const imported of importsOf(path, texts.get(path)?.text ?? "")) visit(imported);
  };
  visit(entry);
  return found;
}

/** In the package: one module, and the style. */
function packageFiles(): ReturnType<typeof sourceFiles> {
  const read = (path: string): string => readFileSync(ownModule(path), "utf8");
  const texts: Texts = new Map([
    ["console.js", { type: "js", text: read("console.js") }],
    ["console.css", { type: "css", text: read("console.css") }],
  ]);
  return { entry: "console.js", first: ["console.js"], style: "console.css", imports: {}, texts };
}

const { texts, ...named } = isSource ? sourceFiles() : packageFiles();
const hash = createHash("sha256");
const files = new Map<string, ReadFile>();
for (const [path, { type, text }] of [...texts].toSorted(([one], [other]) =>
  one < other ? -1 : 1,
)) {
  hash.update(`${path}\0${text}\0`);
  files.set(path, { type: TYPES[type], body: new TextEncoder().encode(text) });
}
const answer: ReadFiles = { hash: hash.digest("hex").slice(0, 16), ...named, files };
parentPort?.postMessage(answer, []);
