import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { pageOf } from "../../../src/io/metrics/page-bytes.ts";
import { scriptedWorld } from "../../core/world.ts";
import { sourceOf } from "./server-fixture.ts";

const LARGE = Buffer.from("a_metric 1\n".repeat(1_000));

function appOf(bytes: Uint8Array<ArrayBuffer>) {
  const asked: string[] = [];
  const metrics = async (format: string) => {
    asked.push(format);
    return pageOf([{ bytes }]);
  };
  const app = createApp(sourceOf(scriptedWorld({ rules: [] }), { metrics }));
  const get = async (headers: Record<string, string>, method = "GET") => {
    const reply = await app.request("/metrics", { method, headers });
    return { reply, body: Buffer.from(await reply.arrayBuffer()) };
  };
  return { asked, get };
}

describe("GET /metrics", () => {
  it("answers in the format that is asked for", async () => {
    const { asked, get } = appOf(Buffer.from("a_metric 1\n"));
    const plain = await get({});
    expect(plain.reply.headers.get("content-type")).toBe(
      "text/plain; version=0.0.4; charset=utf-8",
    );
    expect(plain.reply.headers.get("vary")).toBe("Accept, Accept-Encoding");
    const open = await get({ accept: "application/openmetrics-text;version=1.0.0" });
    expect(open.reply.headers.get("content-type")).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    expect(asked).toEqual(["prometheus", "openmetrics"]);
  });

  it("compresses a large page for whoever takes gzip, and leaves a small one alone", async () => {
    const large = await appOf(LARGE).get({ "accept-encoding": "gzip" });
    expect(large.reply.headers.get("content-encoding")).toBe("gzip");
    expect(large.body.length).toBeLessThan(LARGE.length / 5);
    expect(Number(large.reply.headers.get("content-length"))).toBe(large.body.length);
    expect(gunzipSync(large.body)).toEqual(LARGE);
    const plain = await appOf(LARGE).get({ "accept-encoding": "gzip;q=0" });
    expect(plain.reply.headers.get("content-encoding")).toBeNull();
    expect(plain.body).toEqual(LARGE);
    const small = await appOf(Buffer.from("a 1\n")).get({ "accept-encoding": "gzip" });
    expect(small.reply.headers.get("content-encoding")).toBeNull();
  });

  it("answers HEAD with the headers alone", async () => {
    const { reply, body } = await appOf(LARGE).get({}, "HEAD");
    expect([reply.status, body.length]).toEqual([200, 0]);
    expect(reply.headers.get("content-type")).toContain("text/plain");
  });
});
