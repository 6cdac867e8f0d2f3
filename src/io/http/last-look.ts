import type http from "node:http";
import type https from "node:https";
import type { Duplex } from "node:stream";

/**
 * Makes agents ask, once they are connected, if the request may still leave: a process that was stopped while it
 * connected then sends nothing. Nothing waits between the answer and the first byte. The agents are for one request.
 * Returns a function that tells why it was held back; undefined if it was not.
 */
export function takeLastLook(
  agents: { readonly http: http.Agent; readonly https: https.Agent },
  outdated: () => string | undefined,
): () => string | undefined {
  let problem: string | undefined;
  const look = (): string | undefined => (problem ??= outdated());
  watch(agents.http, "connect", look);
  watch(agents.https, "secureConnect", look);
  return () => problem;
}

/** An agent hands a direct connection over before it is established, and one through a proxy afterwards. */
function watch(
  agent: http.Agent,
  connected: "connect" | "secureConnect",
  look: () => string | undefined,
): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, onCreated) => {
    const socket = connect(options, (error, created: Duplex | undefined) => {
      const problem = created === undefined ? undefined : look();
      if (problem === undefined) return onCreated?.(error, created as Duplex);
      created?.destroy();
      onCreated?.(new Error(problem), undefined as never);
    });
    // This runs before the request's own listeners, which write it.
    socket?.prependOnceListener(connected, () => {
      const problem = look();
      if (problem !== undefined) socket.destroy(new Error(problem));
    });
    return socket;
  };
}
