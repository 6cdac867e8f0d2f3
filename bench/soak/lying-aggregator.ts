import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "../loopback.ts";
import { LyingWorld } from "./lying-world.ts";

export type LyingAggregator = {
  readonly url: string;
  /** What arrived, by method. */
  readonly requests: Readonly<Record<string, number>>;
  readonly close: () => void;
};

/** How long it says nothing if it hangs, in milliseconds: longer than the daemon waits. */
const HANG = 15_000;
const SLOW = 1_500;

/**
 * An aggregator that shares no code with aggwatch's simulator, and is wrong in every way at once: names
 * flap, are renamed and come in floods; replies are cut, empty, contradictory, late, or none.
 */
export async function startLyingAggregator(seed: number): Promise<LyingAggregator> {
  const world = new LyingWorld(seed);
  const requests: Record<string, number> = {};
  const beat = setInterval(() => world.pass(), 1_000);
  const { url, close } = await serve((request, response) => {
    const { method = "GET" } = request;
    requests[method] = (requests[method] ?? 0) + 1;
    request.resume();
    request.once("end", () => answer(world, request, response));
  });
  return {
    url,
    requests,
    close: () => {
      clearInterval(beat);
      void close();
    },
  };
}

function answer(world: LyingWorld, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://loopback");
  const value = world.reply(request.method ?? "GET", decodeURIComponent(pathname), searchParams);
  const send = (status: number, body: string): void => {
    if (response.destroyed) return;
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  };
  const text = JSON.stringify(value ?? { error: { code: 9004, reason: "no such id" } });
  const status = value === undefined ? 404 : 200;
  switch (world.fault()) {
    case "none":
      return send(status, text);
    case "cut":
      return send(200, text.slice(0, Math.floor(text.length / 2)));
    case "empty":
      return send(200, "[]");
    case "html":
      return send(200, "<html>maintenance</html>");
    case "error":
      return send(500, '{"error":{"code":9500,"reason":"boom"}}');
    case "partial":
      return send(206, text);
    case "slow":
      setTimeout(() => send(status, text), SLOW).unref();
      return;
    case "hang":
      setTimeout(() => response.destroy(), HANG).unref();
      return;
    case "broken":
      response.destroy();
  }
}
