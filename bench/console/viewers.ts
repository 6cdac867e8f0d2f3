import { Agent, get, type IncomingHttpHeaders } from "node:http";

/** Looks at the overview as the console does: listens to what changes, and reads again what did. */
export type Viewer = {
  /** Received since it began to look, with the headers of answers left out. */
  readonly bytes: () => number;
  readonly leave: () => void;
};

/** As src/console/data/store.ts and events.ts have them. */
const REFRESH_MS = 3_000;
const LONGEST_REST_MS = 15_000;
const TOPICS = "overview,remediations,polls,alerts";
const READS = ["/api/v1/overview", "/api/v1/pollers?aggregator=bsc-mainnet&span=1h&bucket=1m"];

export function lookAtOverview(url: string): Viewer {
  const agent = new Agent({ keepAlive: true });
  const tags = new Map<string, string>();
  let [bytes, restedMs, hasChanged] = [0, LONGEST_REST_MS, true];
  const ask = (path: string, headers: IncomingHttpHeaders, heard = (): void => undefined): void => {
    const request = get(`${url}${path}`, { agent, headers }, (reply) => {
      if (reply.headers.etag !== undefined) tags.set(path, reply.headers.etag);
      reply.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        heard();
      });
      reply.on("error", () => undefined);
    });
    // It is cut when the viewer leaves.
    request.on("error", () => undefined);
  };
  ask(`/api/v1/events?topics=${TOPICS}`, { "accept-encoding": "gzip" }, () => {
    hasChanged = true;
  });
  const refresh = (): void => {
    restedMs += REFRESH_MS;
    if (!hasChanged && restedMs < LONGEST_REST_MS) return;
    [hasChanged, restedMs] = [false, 0];
    for (const path of READS)
      ask(path, { "accept-encoding": "gzip", "if-none-match": tags.get(path) ?? "" });
  };
  refresh();
  const timer = setInterval(refresh, REFRESH_MS);
  return {
    bytes: () => bytes,
    leave: () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
}
