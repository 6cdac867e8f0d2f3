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

/** What the page loads at once, as paths. */
function loadedFirst(html: string): string[] {
  const found = [...html.matchAll(/(?:href|src)="\.(\/console\/[^"]+)"/g)];
  return [...new Set(found.map(([, path = ""]) => path))];
}

/** What a module imports of the console's own; with those that it imports later, by a call. */
function importsOf(path: string, text: string, withLater: boolean): string[] {
  const heads = text.matchAll(/(?:^(?:import|export)\b[^;"]*|\bimport\()"(\.[^"]+)"/gm);
  return [...heads]
    .filter(([whole]) => withLater || !whole.startsWith("import("))
    .map(([, name = ""]) => new URL(name, `http://console${path}`).pathname);
}

/** What it ever loads, as paths. */
async function loadedBy(html: string): Promise<string[]> {
  const all = new Set(loadedFirst(html));
  for (const path of all) {
    const text = await (await app.request(path)).text();
    for (const imported of importsOf(path, text, true)) all.add(imported);
  }
  return [...all];
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

  it("loads modules without types, which may be kept forever, compressed if asked for", async () => {
    const { html } = await page();
    const paths = await loadedBy(html);
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

  it("sends no file compressed to a client that refuses that", async () => {
    const [path = ""] = await loadedBy((await page()).html);
    for (const refusing of ["gzip;q=0", "gzip;q=0, identity"]) {
      const plain = await app.request(path, { headers: { "accept-encoding": refusing } });
      expect(plain.headers.get("content-encoding"), refusing).toBeNull();
    }
  });

  it("names at once all that its first view needs, and not the modules of the others", async () => {
    const { html } = await page();
    const first = new Set(loadedFirst(html));
    for (const path of first) {
      const text = await (await app.request(path)).text();
      for (const imported of importsOf(path, text, false)) expect(first).toContain(imported);
    }
    expect([...first].join()).toMatch("views/overview.ts");
    expect([...first].join()).not.toMatch(/views\/(timeline\/timeline|entities|try-rule)\.ts/);
    expect((await loadedBy(html)).join()).toMatch("views/timeline/timeline.ts");
  });

  it("asks beside its modules for what the first view shows, and not after them", async () => {
    const { html } = await page();
    const [, path = ""] = /<link rel="preload" href="\.(\/[^"]+)" as="fetch"/.exec(html) ?? [];
    expect(path).toBe("/api/v1/overview");
    expect((await app.request(path)).status).toBe(200);
  });

  it("serves nothing else: no other file, and nothing of another version", async () => {
    const [path = ""] = loadedFirst((await page()).html);
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
    const all = await loadedBy((await page()).html);
    const paths = all.filter((path) => !path.includes("/libraries/"));
    const texts = await Promise.all(
      paths.map(async (path) => await (await app.request(path)).text()),
    );
    const text = texts.join("\n");
    expect(text).toMatch("authorization");
    expect(text).not.toMatch(/sessionStorage|indexedDB|cookie\s*=|innerHTML|eval\(/);
    const kept = text.split("\n").filter((line) => line.includes("localStorage"));
    expect(kept.every((line) => line.includes("ZONE_KEY"))).toBe(true);
  });
});
