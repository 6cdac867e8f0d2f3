import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { createEvents } from "./events.ts";

/** Polls that fail back off, so that it takes a while until one reads again. */
export const BACKED_OFF = { atMostMs: 60_000 };

/** What is pinged: a dead man's switch. */
export type Switch = { url: string; next: () => Promise<void>; count: () => number };

export async function startSwitch(context: TestContext): Promise<Switch> {
  const pings = createEvents<string>(context, "ping");
  const server = createServer((request, response) => {
    response.end();
    pings.add(request.url ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/ping/secret-of-the-switch`,
    next: async () => void (await pings.next(() => true, BACKED_OFF)),
    count: () => pings.all.length,
  };
}
