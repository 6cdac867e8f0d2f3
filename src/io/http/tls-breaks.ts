import type https from "node:https";

/**
 * What broke connections once TLS stood. The request may have left by then, so such an error does not mean that the
 * server speaks no TLS, whatever its code: something on the way may have answered in plain text.
 */
const broke = new WeakSet<Error>();

/** Makes an agent remember the errors of its connections after their handshakes, also of those through a proxy. */
export function noteBreaks(agent: https.Agent): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, onCreated) => {
    const socket = connect(options, onCreated);
    socket?.once("secureConnect", () => {
      socket.on("error", (error: Error) => broke.add(error));
    });
    return socket;
  };
}

/** Whether one of these broke a connection on which TLS stood. */
export function hadTls(causes: readonly Error[]): boolean {
  return causes.some((cause) => broke.has(cause));
}
