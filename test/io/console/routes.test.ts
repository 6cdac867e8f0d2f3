import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { scriptedWorld } from "../../core/world.ts";
import { sourceOf } from "../api/server-fixture.ts";

const app = createApp(sourceOf(scriptedWorld({ rules: [] })));

async function page(): Promise<{ html: string; policy: readonly string[] }> {
  const reply = await app.request("/");
  expect(reply.headers.get("cache-control")).toBe("no-cache");
  const policy = reply.headers.get("content-security-policy") ?? "";
  return { html: await reply.text(), policy: policy.split(";").map((part) => part.trim()) };
}

/** What the page loads, as paths. */
function loadedBy(html: string): string[] {
  const found = [...html.matchAll(/(?:href|src)="\.(\/console\/[^"]+)"/g)];
  return [...new Set(found.map(([, path = ""]) => path))];
}

describe("the console's page", () => {
  it("may run script of this server and its own import map, and nothing that is inline", async () => {
    const { html, policy } = await page();
    const map = /<script type="importmap">(.*)<\/script>/.exec(html)?.[1] ?? "";
    const hash = createHash("sha256").update(map).digest("base64");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'sha256-${hash}'`,
        "style-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|https?:/);
    const inline = [...html.matchAll(/<(script|style)([^>]*)>/g)].filter(
      ([, , attributes = ""]) => !/src=|type="importmap"/.test(attributes),
    );
    expect(inline).toEqual([]);
    expect(html).not.toMatch(/ on\w+=| style=/);
  });

  it("loads modules without types, which may be kept for ever, compressed if asked for", async () => {
    const { html } = await page();
    const paths = loadedBy(html);
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      const plain = await app.request(path);
      expect(plain.status, path).toBe(200);
      expect(plain.headers.get("cache-control"), path).toMatch("immutable");
      expect(plain.headers.get("x-content-type-options"), path).toBe("nosniff");
      const text = await plain.text();
      expect(text, path).not.toMatch(/^import type|^export type/m);
      const zipped = await app.request(path, { headers: { "accept-encoding": "br, gzip" } });
      expect(zipped.headers.get("content-encoding"), path).toBe("gzip");
      expect(gunzipSync(await zipped.arrayBuffer()).toString(), path).toBe(text);
    }
  });

  it("serves nothing else: no other file, and nothing of another version", async () => {
    const [path = ""] = loadedBy((await page()).html);
    const [, , hash = ""] = path.split("/");
    const strange = [
      `/console/${hash}/../../package.json`,
      `/console/${hash}/console/%2e%2e/main.ts`,
      `/console/${hash}/io/api/tokens.ts`,
      `/console/${hash}/`,
      path.replace(hash, "0123456789abcdef"),
      "/console/",
    ];
    for (const one of strange) expect((await app.request(one)).status, one).toBe(404);
  });

  it("puts the token in no place that outlives the page, or that goes along by itself", async () => {
    const paths = loadedBy((await page()).html).filter((path) => !path.includes("/libraries/"));
    const texts = await Promise.all(
      paths.map(async (path) => await (await app.request(path)).text()),
    );
    const all = texts.join("\n");
    expect(all).toMatch("authorization");
    expect(all).not.toMatch(/sessionStorage|indexedDB|cookie\s*=|innerHTML|eval\(/);
    const kept = all.split("\n").filter((line) => line.includes("localStorage"));
    expect(kept.every((line) => line.includes("ZONE_KEY"))).toBe(true);
  });
});
