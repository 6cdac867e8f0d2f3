import { exec } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  createReadStream,
  globSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { read, root } from "./rule-files.ts";

/** What is downloaded, and by what it is pinned. */

type Locked = {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly name?: string;
};

const lock = JSON.parse(read("package-lock.json")) as {
  packages: Readonly<Record<string, Locked>>;
};
const packages = Object.entries(lock.packages).filter(([path]) => path !== "");

const SCRIPTS = [
  "Dockerfile",
  "package.json",
  ...globSync(["deploy/**/*", "docs/**/*.md", "README.md", "CONTRIBUTING.md", "tools/*.ts"], {
    cwd: root,
    exclude: (path) => path.endsWith(".env"),
  }).filter((path) => /\.\w+$/.test(path)),
  ".ci/run",
  ".ci/container",
];

describe("what is downloaded", () => {
  it("is not an image without a version", () => {
    const images = SCRIPTS.flatMap((file) =>
      [...read(file).matchAll(/^\s*-?\s*(?:image:|FROM|ARG BASE=)\s*["']?([^\s"'{]+)/gm)].map(
        ([, image = ""]) => ({ file, image }),
      ),
    ).filter(({ image }) => !image.startsWith("$"));
    expect(images.length).toBeGreaterThan(4);
    for (const { file, image } of images)
      expect(image, file).toMatch(/^\S+:(?!latest)(?:v?\d[\w.-]*|dev)\$?$/);
    for (const file of SCRIPTS) expect(read(file), file).not.toMatch(/[\w/]:latest\b/);
  });

  it("is not a package without a hash", () => {
    expect(packages.length).toBeGreaterThan(50);
    const unpinned = packages.filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-"));
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  it.each(SCRIPTS)("is run by %s in no way that nobody reviewed", (file) => {
    const text = read(file);
    expect(text).not.toMatch(/(?:curl|wget)\b[^\n]*\|\s*(?:ba|z)?sh\b/);
    // A file that was built here is not a download.
    expect(text).not.toMatch(/\bnpm (?:i|install) (?!--global \.\/)(?:-g|--global|[a-z@])/);
    expect(text).not.toMatch(/\bnpx (?:-y|--yes)\b|\bnpx \S+@/);
    expect(text).not.toMatch(/^ADD https?:/m);
    expect(text).not.toMatch(/^# syntax=/m);
  });

  it.runIf(process.platform === "linux" && process.arch === "x64")(
    "is just the Node of .ci/node.sha256, which no lockfile has a hash of",
    async () => {
      const [wanted = "", path = ""] = read(".ci/node.sha256").trim().split(/\s+/);
      const hash = createHash("sha256");
      await pipeline(createReadStream(join(root, path)), hash);
      expect(hash.digest("hex")).toBe(wanted);
    },
  );
});

/** As much of the lockfile as `npm ci --omit=dev` installs. */
const production = Object.fromEntries(
  Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => path !== "" && dev !== true && devOptional !== true,
  ),
);

describe("the SBOM of the image", () => {
  it("names every package of production with its version and its hash, and no other", async (context) => {
    const [, command = ""] = /^RUN (npm pkg .*) >sbom\.cdx\.json$/m.exec(read("Dockerfile")) ?? [];
    const cwd = mkdtempSync(join(tmpdir(), "aggwatch-sbom-"));
    context.onTestFinished(() => rmSync(cwd, { recursive: true }));
    const { devDependencies: _, ...own } = lock.packages[""] as Record<string, unknown>;
    const packages = { "": own, ...production };
    writeFileSync(join(cwd, "package-lock.json"), JSON.stringify({ ...lock, packages }));
    copyFileSync(join(root, "package.json"), join(cwd, "package.json"));
    // Nothing is installed here; .ci/container tries it on what is installed in the image.
    const { stdout } = await promisify(exec)(`${command} --package-lock-only`, {
      cwd,
      maxBuffer: 64 * 1_048_576,
    });
    const { components } = JSON.parse(stdout) as {
      components: ReadonlyArray<{
        readonly purl: string;
        readonly hashes?: ReadonlyArray<{ readonly alg: string }>;
      }>;
    };
    const listed = components.map(({ purl }) => decodeURIComponent(purl).replace("pkg:npm/", ""));
    const wanted = Object.entries(production).map(
      ([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, "")}@${version}`,
    );
    expect(listed.toSorted()).toEqual([...new Set(wanted)].toSorted());
    for (const { purl, hashes = [] } of components)
      expect(
        hashes.map(({ alg }) => alg),
        purl,
      ).toContain("SHA-512");
  });
});
