import { maxHeaderSize, STATUS_CODES, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** What cannot be read as a request, so that no app sees it. Node and the adapter would answer it without a reason. */

/** The body of such an answer. */
export function unreadBody(why: string): string {
  return JSON.stringify({ error: `the request cannot be read: ${why}` });
}

/** Answers it on the server's connections, and closes them; `answers` are those that may be under way. */
export function answerUnread(server: Server, answers: () => Iterable<ServerResponse>): void {
  server.on("clientError", (error: ParserError, connection: Duplex) => {
    const isOfAnother = [...answers()].some((one) => one.socket === connection && isDue(one));
    if (connection.writable && error.code !== "ECONNRESET" && !isOfAnother)
      connection.write(answerTo(error));
    connection.destroy();
  });
}

/** Whether the next bytes belong to this answer: it has begun, or its request was read, and may be carried out. */
function isDue({ headersSent, req }: ServerResponse): boolean {
  return headersSent || req.complete;
}

type ParserError = NodeJS.ErrnoException & { readonly reason?: string };

function answerTo({ code = "", reason, message }: ParserError): string {
  const [status, why] = KNOWN[code] ?? [400, reason ?? message];
  const body = unreadBody(why);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

const KNOWN: Readonly<Record<string, readonly [status: number, why: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `its headers have more than ${maxHeaderSize} bytes`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "the extensions of its chunks are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "it did not arrive in time"],
};
