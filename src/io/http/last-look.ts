import type http from "node:http";
import type https from "node:https";
import type { Duplex } from "node:stream";

/**
 * Makes agents ask, once they are connected, if the request may leave: a process that was stopped while it connected
 * sends nothing when it goes on. Between the answer and the first byte nothing is waited for. The agents are for one
 * request. Gives why it was held back; undefined if it was not.
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

/** A direct connection is handed over before it stands, and one through a proxy when it does. */
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
    // This goes before the listeners of the request, which write it.
    socket?.prependOnceListener(connected, () => {
      const problem = look();
      if (problem !== undefined) socket.destroy(new Error(problem));
    });
    return socket;
  };
}
