/** Tests src/io/api/trial/route.ts: a client that leaves while its rule is tried. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../../../src/io/api/server.ts";
import type { ServerSource } from "../../../../src/io/api/server-source.ts";
import { startServer } from "../../../../src/io/http/app-server.ts";
import { rule } from "../../../core/fixtures.ts";
import { scriptedWorld } from "../../../core/world.ts";
import { ALICES_GATE, sourceOf } from "../server-fixture.ts";

const RULES = `groups: [{ name: t, rules: [{ alert: T, each: exchange, when: "exchange.disabled" }] }]`;

const TOOL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "try_rule", arguments: { rules: RULES } },
};

it.each([
  ["/api/v1/try-rule", { rules: RULES }],
  ["/mcp", TOOL],
])("leaves %s to others", async (path, body) => {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const real = sourceOf(scriptedWorld({ rules: [rule()] }));
  let trials = 0;
  const trial: ServerSource["trial"] = function* (tried) {
    trials += 1;
    if (trials > 1) return yield* real.trial(tried);
    begun.resolve();
    try {
      // A rule that takes much work on many entities.
      while (!over.signal.aborted) yield;
      return yield* real.trial(tried);
    } finally {
      ended.resolve();
    }
  };
  const app = createApp({ ...real, trial, gate: ALICES_GATE, mcp: () => true });
  const server = await startServer(app, "127.0.0.1", 0);
  onTestFinished(server.close);
  const port = Number(new URL(server.url).port);
  const client = connect(port, "127.0.0.1");
  const text = JSON.stringify(body);
  client.write(
    [
      `POST ${path} HTTP/1.1`,
      "host: 127.0.0.1",
      "accept: application/json, text/event-stream",
      "content-type: application/json",
      `content-length: ${text.length}`,
      "authorization: Bearer hers",
      "",
      text,
    ].join("\r\n"),
  );
  await begun.promise;
  client.resetAndDestroy();
  await once(client, "close");
  await ended.promise;
  const reply = await app.request("/api/v1/try-rule", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ rules: RULES }),
  });
  expect([reply.status, trials]).toEqual([200, 2]);
});
