/** Tests src/io/api/server.ts: a client that leaves in the middle of its request. */
import { connect } from "node:net";
import { expect, it } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { scriptedWorld } from "../../core/world.ts";
import { sourceOf } from "./server-fixture.ts";

it("is no bug to log", async (context) => {
  const errors: unknown[] = [];
  const source = sourceOf(scriptedWorld({ rules: [] }), {
    onError: (_, error) => void errors.push(error),
  });
  const app = createApp(source);
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const fetch: typeof app.fetch = async (...given) => {
    asked.resolve();
    try {
      return await app.fetch(...given);
    } finally {
      answered.resolve();
    }
  };
  const server = await startServer({ fetch }, "127.0.0.1", 0);
  context.onTestFinished(server.close);
  const client = connect(Number(new URL(server.url).port), "127.0.0.1");
  const head = "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json";
  client.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n`);
  await asked.promise;
  client.resetAndDestroy();
  await answered.promise;
  expect(errors).toEqual([]);
});
