import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findViolations } from "./architecture/checks.ts";
import { sizeExceptions } from "./architecture/exceptions.ts";
import { LIBRARIES } from "./architecture/floors.ts";
import { loadedBy } from "./architecture/imports.ts";
import { scan, type SourceFile } from "./architecture/scan.ts";

const root = join(import.meta.dirname, "..");

function sourcesUnder(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => /\.(?:ts|js|mjs)$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));

describe("the house", () => {
  it("keeps its floors, bans and sizes", () => {
    const files = [...sourcesUnder("src"), ...sourcesUnder("test")];
    expect(files.map(({ path }) => path)).toContain("src/main.ts");
    expect(findViolations(files, sizeExceptions).join("\n")).toBe("");
  });

  it("lets the commands of operators load no library but that of the API's answers", () => {
    const loaded = loadedBy("src/cli/operate/client.ts", sourcesUnder("src").map(scan));
    expect(loaded.files).toContain("src/io/process/files.ts");
    expect(loaded.packages.filter((name) => !name.startsWith("node:"))).toEqual([
      "@hono/zod-openapi",
    ]);
  });

  it("lets a start load nothing that the first request does not need", () => {
    const loaded = loadedBy("src/cli/run.ts", sourcesUnder("src").map(scan), "at once");
    expect(loaded.files).toContain("src/run/polling.ts");
    expect(loaded.files).not.toContain("src/io/api/server.ts");
    expect(loaded.packages.filter((name) => !name.startsWith("node:")).toSorted()).toEqual([
      "@hono/node-server",
      "@marcbachmann/cel-js",
      "@noble/hashes",
      "got",
      "jsonata",
      "node-cron",
      "p-retry",
      "pino",
      "pino-pretty",
      "prom-client",
      "re2js",
      "yaml",
      "zod",
    ]);
  });

  it("ends no thread amid zlib, as Node would abort the process: only those that hold a lock load it", () => {
    const sources = sourcesUnder("src");
    const begunBy = (way: RegExp): string[] =>
      sources.flatMap(({ text }) => [...text.matchAll(way)].map(([, path]) => `src/${path}`));
    const lockHolders = begunBy(/beginThread\(\s*ownModule\("([^"]+)"\)/g);
    expect(lockHolders).toContain("src/simulation/worker.ts");
    const threads = sources.map(({ path }) => path).filter((path) => path.endsWith("-thread.ts"));
    const others = [...threads, ...begunBy(/new Worker\(\s*ownModule\("([^"]+)"\)/g)].filter(
      (path) => !lockHolders.includes(path) && !path.endsWith("/endable-thread.ts"),
    );
    expect(others).toContain("src/io/console/files-thread.ts");
    const scanned = sources.map(scan);
    const unsafe = others.filter((path) => loadedBy(path, scanned).packages.includes("node:zlib"));
    expect(unsafe).toEqual([]);
    const inThreads = new Set(lockHolders.flatMap((path) => loadedBy(path, scanned).files));
    const unlocked = scanned
      .filter(({ path }) => inThreads.has(path))
      .flatMap(({ path, text, code }) => {
        const [, names = ""] = /^import \{([^}]*)\} from "node:zlib";/m.exec(text) ?? [];
        // `crc32` makes no handle.
        const making = names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => !/^(?:|constants|crc32)$/.test(name));
        return making.flatMap((name) =>
          [...code.matchAll(new RegExp(`(.*)\\b${name}\\(`, "g"))]
            .filter(([, before = ""]) => !before.endsWith("usingZlib(() => "))
            .map(([call]) => `${path}: ${call.trim()}`),
        );
      });
    expect(unlocked).toEqual([]);
  });

  it("gives every dependency an owner, and owns nothing that is not one", () => {
    const { dependencies } = read("package.json") as { dependencies: Record<string, string> };
    expect(Object.keys(LIBRARIES).sort()).toEqual(Object.keys(dependencies).sort());
  });

  it("pins every dependency to one version", () => {
    const manifest = read("package.json") as Record<string, Record<string, string>>;
    const versions = Object.entries({
      ...manifest["dependencies"],
      ...manifest["devDependencies"],
    });
    const loose = versions.filter(
      ([, version]) => !/^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it("names no registry in the lockfile, so that it installs from any", () => {
    const lines = readFileSync(join(root, "package-lock.json"), "utf8").split("\n");
    const resolved = lines.flatMap((line, index) =>
      line.includes('"resolved": "http') ? [`package-lock.json:${index + 1} ${line.trim()}`] : [],
    );
    expect(resolved, "set omit-lockfile-registry-resolved in .npmrc and write it again").toEqual(
      [],
    );
  });

  it("locks the packages of every platform, as npm ci refuses a lockfile that lacks one", () => {
    const { packages } = read("package-lock.json") as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const names = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => !names.has(name));
    expect(missing).toEqual([]);
  });
});
