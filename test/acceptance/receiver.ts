import type { ServerResponse } from "node:http";
import { startServer, type Seen } from "../io/local-server.ts";
import { createEvents, type Events, type Finishing } from "./events.ts";

/** A real receiver of notifications that can be broken, and whose requests can be waited for. */
export type Receiver = {
  readonly url: string;
  /** The bodies it took, oldest first, parsed. */
  readonly taken: readonly unknown[];
  readonly seen: readonly Seen[];
  /** How it answers from now on; by default 200. */
  answers: (seen: Seen, response: ServerResponse) => void;
  /** The first request, of those there were and those to come, that fits. */
  readonly request: Events<Seen>["first"];
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

export async function startReceiver(context: Finishing): Promise<Receiver> {
  const taken: unknown[] = [];
  const answered = createEvents<Seen>(context, "request to the receiver");
  const server = await startServer((seen, response) => {
    response.on("finish", () => {
      // A heartbeat has no body.
      if (response.statusCode === 200 && seen.body !== "") taken.push(JSON.parse(seen.body));
      answered.add(seen);
    });
    receiver.answers(seen, response);
  });
  context.onTestFinished(server.close);
  const receiver: Receiver = {
    url: server.baseUrl,
    taken,
    seen: server.seen,
    answers: accept,
    request: answered.first,
  };
  return receiver;
}
