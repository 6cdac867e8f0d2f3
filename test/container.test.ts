import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHIPPED } from "../tools/build.ts";
import { startServer } from "./io/local-server.ts";

/** What can be said of the container without building it. */

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The instructions of a Dockerfile, continued lines joined and comments dropped. */
function instructionsOf(text: string): Array<{ name: string; rest: string }> {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...rest] = line.trim().split(/\s+/);
      return { name, rest: rest.join(" ") };
    });
}

const instructions = instructionsOf(read("Dockerfile"));
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
const all = (name: string, from = lastStage): string[] =>
  from.flatMap((instruction) => (instruction.name === name ? [instruction.rest] : []));

describe("the Dockerfile", () => {
  const sources = all("COPY", instructions)
    .filter((rest) => !rest.startsWith("--from="))
    .flatMap((rest) => rest.split(" ").slice(0, -1));

  it("builds on one pinned Node of the major version that package.json asks for", () => {
    const base = all("ARG", instructions).find((rest) => rest.startsWith("BASE="));
    const engines = (JSON.parse(read("package.json")) as { engines: { node: string } }).engines;
    const major = /\d+/.exec(engines.node)?.[0] ?? "none";
    expect(base).toBe(`BASE=docker.io/library/node:${major}-bookworm-slim`);
    for (const from of all("FROM", instructions))
      expect(from).toMatch(/^\$\{BASE\}\$\{BASE_DIGEST\}(?: |$)/);
  });

  it("installs by the lockfile, and without install scripts", () => {
    expect(all("RUN", instructions)).toContain("npm ci --ignore-scripts");
  });

  it("copies only what it needs, and .dockerignore lets just that in", () => {
    const allowed = read(".dockerignore")
      .split("\n")
      .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    expect([...new Set(sources)].sort()).toEqual([...allowed].sort());
    for (const source of sources.filter((path) => path !== "rules"))
      expect(existsSync(join(root, source)), source).toBe(true);
  });

  it("builds the package of what the package holds, and runs that", () => {
    for (const path of SHIPPED) expect(sources).toContain(path);
    expect(all("COPY")).toContain("--from=build /package ./");
  });

  it("copies each module that the build is made of", () => {
    const modules = new Set(["tools/build.ts"]);
    // A set goes on over what is added meanwhile.
    for (const module of modules)
      for (const [, name = ""] of read(module).matchAll(/from "\.\/([\w-]+\.ts)"/g))
        modules.add(`tools/${name}`);
    expect(modules.size).toBeGreaterThan(1);
    expect(sources).toEqual(expect.arrayContaining([...modules]));
  });

  it("has the command for people under the name that the runbooks use", () => {
    const [workdir] = all("WORKDIR");
    expect(all("RUN").join("\n")).toContain(
      `ln -s ${workdir}/bin/aggwatch.js /usr/local/bin/aggwatch`,
    );
  });

  it("does not run as root, and keeps its data in a volume", () => {
    expect(all("USER")).toEqual(["node"]);
    expect(all("VOLUME")).toEqual(["/data"]);
    expect(all("ENV").join(" ")).toContain("AGGWATCH_DATA=/data");
  });

  it("has its data open to its user alone, and the name of the commands, in its last stage", () => {
    expect(all("RUN")).toEqual([
      "mkdir -m 700 /data && chown node:node /data",
      "ln -s /app/bin/aggwatch.js /usr/local/bin/aggwatch",
    ]);
  });

  it("is labelled with what package.json says, and with the commit that it is built of", () => {
    const own = JSON.parse(read("package.json")) as Record<string, string>;
    const labels = all("LABEL")
      .join(" ")
      .matchAll(/org\.opencontainers\.image\.(\S+?)="([^"]*)"/g);
    expect(Object.fromEntries([...labels].map(([, name, value]) => [name, value]))).toEqual({
      title: own["name"],
      description: own["description"],
      version: own["version"],
      licenses: own["license"],
      revision: "${REVISION}",
      "base.name": "${BASE}",
    });
    // Without a value here: that of before the first FROM.
    expect(all("ARG")).toEqual(["BASE", "REVISION="]);
  });

  it("starts in the exec form, so that signals reach it", () => {
    expect(all("ENTRYPOINT")).toEqual(['["node", "lib/main.js"]']);
    expect(all("CMD")).toEqual(['["run"]']);
  });

  it("exposes the port that it listens on", () => {
    const port = /AGGWATCH_LISTEN=\S+:(\d+)/.exec(all("ENV").join(" "))?.[1];
    expect(all("EXPOSE")).toEqual([port]);
  });
});

describe("the image's HEALTHCHECK", () => {
  const [instruction = ""] = all("HEALTHCHECK");
  const [program = "", ...args] = JSON.parse(
    instruction.slice(instruction.indexOf("[")),
  ) as string[];

  /** The exit code of timeout(1). */
  const TIMED_OUT = 124;

  /** Runs it as in the container; gives its exit code. */
  async function check(listen: string): Promise<number | null> {
    const { PATH } = process.env;
    const child = spawn(program, args, { env: { PATH, AGGWATCH_LISTEN: listen }, stdio: "ignore" });
    const [code] = (await once(child, "close")) as [number | null];
    return code;
  }

  it.each([
    { status: 200, code: 0 },
    { status: 503, code: 1 },
    { status: 404, code: 1 },
  ])("ends with $code if /healthz says $status", async ({ status, code }) => {
    const server = await startServer(({ url }, response) => {
      response.writeHead(url === "/healthz" ? status : 500);
      response.end("200\n");
    });
    const { port } = new URL(server.baseUrl);
    expect(await check(`0.0.0.0:${port}`)).toBe(code);
    expect(await check(`[::]:${port}`)).toBe(code);
    expect(server.seen.map(({ url }) => url)).toEqual(["/healthz", "/healthz"]);
    await server.close();
    expect(await check(`0.0.0.0:${port}`), "nothing listens").toBe(1);
  });

  it("ends by itself, and fails, within its time-out if the server never answers", async () => {
    const server = await startServer(() => {});
    expect(await check(`0.0.0.0:${new URL(server.baseUrl).port}`)).toBe(TIMED_OUT);
    expect(program).toBe("timeout");
    expect(Number(args[0])).toBeLessThan(Number(/--timeout=(\d+)s/.exec(instruction)?.[1]));
    await server.close();
  });

  it("takes no memory to speak of: it starts no other Node", () => {
    expect([program, ...args].join(" ")).not.toContain("node");
  });
});
