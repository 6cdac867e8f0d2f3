/** Tests src/io/api/server.ts: what it answers while an event is being handled. */
import { expect, it } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { eventfulWorld, sourceOf } from "./server-fixture.ts";

it("answers from whole state alone, and says at once if it is healthy", async () => {
  const idle = Promise.withResolvers<void>();
  const order: string[] = [];
  const app = createApp(sourceOf(eventfulWorld(), { idle: () => idle.promise }));
  const asked = ["/api/v1/status", "/readyz", "/healthz"].map(async (path) => {
    const { status } = await app.request(path);
    order.push(`${path} ${status}`);
  });
  await asked[2];
  expect(order).toEqual(["/healthz 200"]);
  idle.resolve();
  await Promise.all(asked);
  expect(order.toSorted()).toEqual(["/api/v1/status 200", "/healthz 200", "/readyz 200"]);
});
