import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `node tools/pin-images.ts >deploy/.env`: asks the registries for the digest of each image that is built on or run,
 * and prints them as the variables that the Compose files of deploy/ and the Dockerfile take. Review the difference,
 * commit it, and what is pulled is what was reviewed.
 */

const ROOT = join(import.meta.dirname, "..");

/** An image with the variable that takes its digest. */
export type Pinned = { readonly variable: string; readonly image: string };

/** As in `docker.io/prom/prometheus:v3.15.0${PROMETHEUS_DIGEST:-}`. */
const IMAGE = /\bimage: ([\w./:-]+)\$\{(\w+_DIGEST):-\}/g;
const BASE = /^ARG BASE=(\S+)$/m;

/** The images of the Dockerfile and of all Compose files, each once. */
export function imagesOf(): readonly Pinned[] {
  const base = BASE.exec(read("Dockerfile"))?.[1];
  const own = base === undefined ? [] : [{ variable: "BASE_DIGEST", image: base }];
  const files = readdirSync(join(ROOT, "deploy")).filter((name) => name.endsWith(".yaml"));
  const others = files.flatMap((name) =>
    [...read(join("deploy", name)).matchAll(IMAGE)].map(([, image = "", variable = ""]) => ({
      variable,
      image,
    })),
  );
  return [...new Map([...own, ...others].map((one) => [one.variable, one])).values()];
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Indexes first: their digest is the same for all platforms. */
const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** `@sha256:…`, of the bytes that the registry gives for the tag. Throws if it gives none. */
export async function digestOf(image: string, registryOf = registryUrl): Promise<string> {
  const [, host = "", name = "", tag = ""] = /^([^/]+)\/(.+):([^:/]+)$/.exec(image) ?? [];
  if (tag === "") throw new Error(`${image} has no registry, or no tag`);
  const url = `${registryOf(host)}/v2/${name}/manifests/${tag}`;
  const first = await fetch(url, { headers: { accept: MANIFESTS } });
  const answer = first.status === 401 ? await withToken(url, first) : first;
  if (!answer.ok) throw new Error(`${image}: the registry answers with status ${answer.status}`);
  const digest = `sha256:${createHash("sha256")
    .update(await answer.bytes())
    .digest("hex")}`;
  const named = answer.headers.get("docker-content-digest") ?? digest;
  if (named !== digest)
    throw new Error(`${image}: the registry names ${named}, and sends ${digest}`);
  return `@${digest}`;
}

function registryUrl(host: string): string {
  return host === "docker.io" ? "https://registry-1.docker.io" : `https://${host}`;
}

/** Anonymous, as for everyone who pulls a public image. */
async function withToken(url: string, refused: Response): Promise<Response> {
  const challenge = refused.headers.get("www-authenticate") ?? "";
  const word = (key: string): string => new RegExp(`${key}="([^"]*)"`).exec(challenge)?.[1] ?? "";
  const realm = new URL(word("realm"));
  for (const key of ["service", "scope"]) realm.searchParams.set(key, word(key));
  const given = (await (await fetch(realm)).json()) as { token?: string; access_token?: string };
  const authorization = `Bearer ${given.token ?? given.access_token ?? ""}`;
  return await fetch(url, { headers: { accept: MANIFESTS, authorization } });
}

/** The lines of the file; an image that cannot be asked for fails all of them. */
export async function pinLines(
  images: readonly Pinned[],
  registryOf?: (host: string) => string,
): Promise<readonly string[]> {
  const lines = images.map(async ({ variable, image }) => [
    `# ${image}`,
    `${variable}=${await digestOf(image, registryOf)}`,
  ]);
  return (await Promise.all(lines)).flat();
}

if (import.meta.main) process.stdout.write(`${(await pinLines(imagesOf())).join("\n")}\n`);
