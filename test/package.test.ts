import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, SHIPPED, build } from "../tools/build.ts";
import { childEnvironment } from "./child-environment.ts";

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

type Told = { readonly code: number | string; readonly out: string; readonly err: string };

describe("the package", () => {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-package-"));
  const dist = join(directory, "dist");
  const empty = join(directory, "empty");
  const installed = join(directory, "lib/node_modules/aggwatch");
  const options = { cwd: empty, env: childEnvironment() };

  /** Runs what was installed, in an empty folder, to its end. */
  const aggwatch = async (...args: string[]): Promise<Told> => {
    try {
      const { stdout, stderr } = await run(process.execPath, args, options);
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as Record<"code" | "stdout" | "stderr", string>;
      return { code, out: stdout, err: stderr };
    }
  };
  const program = join(installed, "bin/aggwatch.js");

  beforeAll(async () => {
    mkdirSync(empty);
    await build(dist);
    const { stdout } = await run("npm", [
      "pack",
      dist,
      "--silent",
      "--pack-destination",
      directory,
    ]);
    const tarball = join(directory, stdout.trim());
    const quietly = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--silent"];
    await run("npm", ["install", "--global", "--prefix", directory, ...quietly, tarball]);
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("holds every file that the program opens", () => {
    const opened = globSync("src/**/*.ts", { cwd: root }).flatMap((file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(/(shippedFile|ownModule)\("([^"]+)"\)/g),
      ].map(([, how = "", path = ""]) => [how, path] as const),
    );
    expect(opened).toContainEqual(["shippedFile", "deploy/scenarios/demo.yaml"]);
    const started = new Set(Object.values(ENTRIES));
    // The console's source is one module in the package.
    const others = opened.filter(([, path]) => !path.startsWith("console/"));
    const missing = others.filter(([how, path]) =>
      how === "ownModule"
        ? !started.has(`src/${path}`)
        : ![...SHIPPED, "package.json"].some((known) => `${path}/`.startsWith(`${known}/`)),
    );
    expect(missing).toEqual([]);
  });

  it("is spared what no start needs, and a start opens few of its files", () => {
    const lib = join(dist, "lib");
    const texts = new Map(
      globSync("*.js", { cwd: lib, exclude: ["console.js"] }).map((name) => [
        name,
        readFileSync(join(lib, name), "utf8"),
      ]),
    );
    // What code-cache.ts loads is in ASCII, and has no `import()`.
    const late =
      /[^\0-\x7f]|(?<![\w.])import\(|\brequire\("node:http2"\)|^const \w+ = new Intl\b|locales\/de\.js/m;
    expect([...texts].filter(([, text]) => late.test(text)).map(([name]) => name)).toEqual([]);
    const opened = new Set(["main.js", "program.js", "run.js"]);
    for (const name of opened)
      for (const [, next = ""] of texts.get(name)?.matchAll(/^const .*require\("\.\/(.*)"\);$/gm) ??
        [])
        opened.add(next);
    expect(opened).not.toContain("server.js");
    expect(opened).toContain("run-past-thread.js");
    expect(opened.size).toBeLessThan(30);
  });

  it("is the same, byte by byte, if it is built again", async () => {
    const again = join(directory, "again");
    await build(again);
    const files = globSync("**/*.*", { cwd: dist }).toSorted();
    expect(globSync("**/*.*", { cwd: again }).toSorted()).toEqual(files);
    const differing = files.filter(
      (file) => !readFileSync(join(dist, file)).equals(readFileSync(join(again, file))),
    );
    expect(differing).toEqual([]);
  });

  it("holds nothing else: no source, no test of the code, no config of a user, no other package", () => {
    const files = globSync("**/*.*", { cwd: installed });
    expect(files.filter((file) => /\.(ts|map)$|node_modules/.test(file))).toEqual([]);
    const folders = new Set([...SHIPPED.map((path) => path.split("/")[0]), "bin", "lib"]);
    const unknown = readdirSync(installed).filter((name) => !folders.has(name));
    expect(unknown.toSorted()).toEqual(["THIRD-PARTY-LICENSES.txt", "package.json"]);
  });

  it("is what is packed if the directory is forgotten, and nothing of the repository beside it", async () => {
    const dry = ["pack", "--dry-run", "--json", "--ignore-scripts", "--silent"];
    const { stdout } = await run("npm", dry, { cwd: root });
    const [packed] = JSON.parse(stdout) as Array<{ files: Array<{ path: string }> }>;
    const outside = packed?.files
      .map(({ path }) => path)
      .filter((path) => !path.startsWith("dist/"));
    expect(outside?.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
    const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      bin: Record<string, string>;
    };
    const inDist = Object.values(bin).map((path) => path.replace(/^dist\//, ""));
    expect(inDist.filter((path) => !existsSync(join(dist, path)))).toEqual([]);
  });

  it("has the schema that each shipped file names for editors", () => {
    const named = globSync("{rules,deploy}/**/*.yaml", { cwd: installed }).flatMap((file) =>
      [...readFileSync(join(installed, file), "utf8").matchAll(/\$schema=(\S+)/g)].map(
        ([, path = ""]) => join(installed, dirname(file), path),
      ),
    );
    expect(named).not.toEqual([]);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("knows its version, and tells where its rules are to whom has none", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      version: string;
    };
    expect(await aggwatch(program, "--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
    const { code, err, out } = await aggwatch(program, "check");
    expect(code).toBe(1);
    expect(out + err).toContain(join(installed, "rules"));
    expect(await aggwatch(program, "test", join(installed, "rules"))).toMatchObject({ code: 0 });
  });

  it("simulates, which takes its worker threads", async () => {
    const { code, out, err } = await aggwatch(
      program,
      "simulate",
      "--runs",
      "1",
      "--hours",
      "0.02",
    );
    // On a slow machine it says how far it is.
    expect(err.replaceAll(/^\[[#.]+\] .*\n/gm, "")).toBe("");
    expect(out).toContain("no invariant was violated");
    expect(code).toBe(0);
  });

  it("watches: serves its page and the script of it, checks its journal, and ends", async () => {
    const rules = ["--rules", join(installed, "rules"), "--listen", "127.0.0.1:0"];
    const child = spawn(process.execPath, [program, "run", ...rules], {
      ...options,
      env: { ...options.env, AGGWATCH_BASE_URL: "http://127.0.0.1:1" },
    });
    const ended = once(child, "exit");
    try {
      let url = "";
      const lines: string[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line);
        const { msg, url: said } = JSON.parse(line) as Record<string, unknown>;
        if (msg === "watching") url = String(said);
        if (msg === "watching") break;
      }
      expect(url, lines.join("\n")).not.toBe("");
      for (const path of ["/", "/plain", "/healthz"])
        expect((await fetch(url + path)).status, path).toBe(200);
      const page = await (await fetch(url)).text();
      const script = /<script type="module" src="\.(\/console\/\w+\/console\.js)">/.exec(page)?.[1];
      expect((await fetch(`${url}${script}`)).headers.get("content-type")).toMatch("javascript");
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
  });

  it("says in one sentence that a Node is too old", async () => {
    const old = `data:text/javascript,${encodeURIComponent(
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });',
    )}`;
    const { code, err, out } = await aggwatch("--import", old, program, "run");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^aggwatch needs Node 24 or newer, and this is Node 20\.1\.0 \(.*\)\.\n$/);
  });
});
