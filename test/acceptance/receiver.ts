import type { ServerResponse } from "node:http";
import type { TestContext } from "vitest";
import { startServer, type Seen } from "../io/local-server.ts";

/** A real receiver of notifications that can be broken, and whose requests can be waited for. */
export type Receiver = {
  readonly url: string;
  /** What it took, oldest first, parsed. */
  readonly taken: readonly unknown[];
  readonly seen: readonly Seen[];
  /** How it answers from now on; by default 200. */
  answers: (seen: Seen, response: ServerResponse) => void;
  /** The first request, of those there were and those to come, that fits. */
  readonly request: (fits: (seen: Seen) => boolean) => Promise<Seen>;
};

export function accept(_seen: Seen, response: ServerResponse): void {
  response.end("ok");
}

export function refuseWith(status: number, headers: Record<string, string> = {}, body = "") {
  return (_seen: Seen, response: ServerResponse): void => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

export async function startReceiver(
  context: Pick<TestContext, "onTestFinished">,
): Promise<Receiver> {
  const taken: unknown[] = [];
  const waiting: Array<{ fits: (seen: Seen) => boolean; resolve: (seen: Seen) => void }> = [];
  const server = await startServer((seen, response) => {
    response.on("finish", () => {
      if (response.statusCode === 200) taken.push(JSON.parse(seen.body));
      for (const [index, one] of [...waiting.entries()].toReversed()) {
        if (!one.fits(seen)) continue;
        waiting.splice(index, 1);
        one.resolve(seen);
      }
    });
    receiver.answers(seen, response);
  });
  context.onTestFinished(server.close);
  const receiver: Receiver = {
    url: server.baseUrl,
    taken,
    seen: server.seen,
    answers: accept,
    request: (fits) => {
      const known = server.seen.find((seen) => fits(seen));
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => {
        waiting.push({ fits, resolve });
      });
    },
  };
  return receiver;
}
