import type pg from "pg";
import type { ClientConfig } from "pg";
import type { Duplex } from "node:stream";
import { messageOf } from "../../domain/error-message.ts";

/** What the driver has for itself: it begins to read a stream. */
type Reading = { attachListeners: (stream: Duplex) => void };

/**
 * A client of the driver's that never ends the process, and leaves no connection open that it cannot use: the driver
 * throws at an answer that it cannot read, and lets go of a connection that was refused, but does not close it.
 */
export function clientClass(
  { Client }: Pick<typeof pg, "Client">,
  current: () => ClientConfig,
): typeof pg.Client {
  return class extends Client {
    constructor(given?: string | ClientConfig) {
      super({ ...(typeof given === "object" && given), ...current() });
      // The pool listens only between two uses, and too late if a connection ends as it is made. The next query fails.
      this.on("error", () => undefined);
      const { connection } = this;
      const giveUp = (): void => void connection.stream.destroy();
      connection.on("error", giveUp).on("errorMessage", giveUp);
      // From then on it may refuse a query, and live on.
      connection.once("readyForQuery", () => connection.off("errorMessage", giveUp));
      const reading = connection as unknown as Reading;
      const attach = reading.attachListeners.bind(connection);
      reading.attachListeners = (stream) => {
        attach(stream);
        guardReaders(stream);
      };
    }
  };
}

/** What reads a stream no longer throws: the stream ends with an error. */
function guardReaders(stream: Duplex): void {
  for (const read of stream.listeners("data") as Array<(chunk: Buffer) => void>) {
    stream.off("data", read);
    stream.on("data", (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        stream.destroy(unreadable(error));
      }
    });
  }
}

/** How the driver names a way to log in that it does not have. */
const OTHER_LOGIN = /^Unknown authenticationOk message type/;

export const NO_SUCH_LOGIN = "it asks for a way to log in that aggwatch does not have";

function unreadable(error: unknown): Error {
  const why = messageOf(error);
  return new Error(
    OTHER_LOGIN.test(why)
      ? `${NO_SUCH_LOGIN}: let the role log in with a password or a certificate, in pg_hba.conf`
      : `its answer cannot be read: ${why}`,
  );
}
