import { expect, it } from "vitest";
import { createRestoringApp } from "../../../../src/io/api/restoring/app.ts";

let problem: string | undefined;
const app = createRestoringApp({
  access: () => ({ hosts: ["watch.example"], trustedProxies: [] }),
  progress: () => "restoring the journal (1 of 2 rows)",
  unhealthy: () => problem,
});

async function answer(path: string, host = "watch.example"): Promise<readonly unknown[]> {
  const reply = await app.request(path, { headers: { host } });
  return [reply.status, reply.headers.get("content-type")?.split(";")[0], await reply.text()];
}

it("is healthy while it gets on, and says why it is not", async () => {
  problem = undefined;
  expect((await answer("/healthz")).slice(0, 1)).toEqual([200]);
  problem = "nothing was read";
  expect(await answer("/healthz")).toEqual([503, "text/plain", "nothing was read\n"]);
});

it("answers programs in JSON, and people in a sentence", async () => {
  const json = [503, "application/json"];
  for (const path of ["/api/v1/status", "/-/reload", "/mcp"])
    expect((await answer(path)).slice(0, 2)).toEqual(json);
  for (const path of ["/", "/metrics", "/mcp-like"])
    expect((await answer(path)).slice(0, 2)).toEqual([503, "text/plain"]);
});

it("answers under no name that it is not known by", async () => {
  expect((await answer("/healthz", "evil.example"))[0]).toBe(421);
});
