import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { digestOf, imagesOf, pinLines } from "../../tools/pin-images.ts";
import { startServer, type Handler } from "../io/local-server.ts";
import { read, root } from "../deploy/rule-files.ts";

const MANIFEST = '{"schemaVersion":2}';
const DIGEST = `sha256:${createHash("sha256").update(MANIFEST).digest("hex")}`;

type Finishing = { readonly onTestFinished: (end: () => Promise<void>) => void };

async function registry(context: Finishing, handler: Handler) {
  const server = await startServer(handler);
  context.onTestFinished(server.close);
  return { ...server, of: () => server.baseUrl };
}

/** As Docker Hub: nobody reads without a token, and everybody gets one. */
const hub = (named = DIGEST): Handler => {
  return ({ url, headers }, response) => {
    const realm = `http://${headers.host}/token`;
    if (url.startsWith("/token")) response.end(JSON.stringify({ token: "anonymous" }));
    else if (headers.authorization !== "Bearer anonymous")
      response
        .writeHead(401, {
          "www-authenticate": `Bearer realm="${realm}",service="hub",scope="repository:a/b:pull"`,
        })
        .end();
    else if (url === "/v2/a/b/manifests/1.2.3")
      response.writeHead(200, { "docker-content-digest": named }).end(MANIFEST);
    else response.writeHead(404).end();
  };
};

describe("the digest of an image", () => {
  test("is that of the manifest, for which the registry wants a token", async (context) => {
    const { of, seen } = await registry(context, hub());
    expect(await digestOf("docker.io/a/b:1.2.3", of)).toBe(`@${DIGEST}`);
    const token = seen.find(({ url }) => url.startsWith("/token"))?.url;
    expect(token).toBe("/token?service=hub&scope=repository%3Aa%2Fb%3Apull");
    expect(seen.at(-1)?.headers.accept).toContain("application/vnd.oci.image.index.v1+json");
  });

  test("is not taken from a registry that names another than it sends", async (context) => {
    const { of } = await registry(context, hub(`sha256:${"0".repeat(64)}`));
    await expect(digestOf("docker.io/a/b:1.2.3", of)).rejects.toThrow(/names sha256:000.*sends/);
  });

  test("is not a line at all if one image is not known", async (context) => {
    const { of } = await registry(context, hub());
    const images = ["1.2.3", "9.9.9"].map((tag) => ({
      variable: "X_DIGEST",
      image: `docker.io/a/b:${tag}`,
    }));
    await expect(pinLines(images, of)).rejects.toThrow("docker.io/a/b:9.9.9: the registry answers");
    expect(await pinLines(images.slice(0, 1), of)).toEqual([
      "# docker.io/a/b:1.2.3",
      `X_DIGEST=@${DIGEST}`,
    ]);
  });
});

test("every image that is built on or run has a variable for its digest", () => {
  const images = imagesOf();
  expect(images.map(({ variable }) => variable)).toEqual([
    "BASE_DIGEST",
    "POSTGRES_DIGEST",
    "PROMETHEUS_DIGEST",
    "ALERTMANAGER_DIGEST",
    "GRAFANA_DIGEST",
  ]);
  for (const { image } of images)
    expect(image).toMatch(/^docker\.io\/[a-z]+\/[a-z]+:v?\d+[\w.-]*$/);
});

test("every variable for a digest that a Compose file has is given", () => {
  const files = readdirSync(join(root, "deploy")).filter((name) => name.endsWith(".yaml"));
  const named = files.flatMap((name) => read(`deploy/${name}`).match(/\b\w+_DIGEST\b/g) ?? []);
  const given = imagesOf().map(({ variable }) => variable);
  expect(new Set(given)).toEqual(new Set(named));
});
