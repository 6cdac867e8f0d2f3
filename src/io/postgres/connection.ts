import { readFileSync } from "node:fs";
import type { ClientConfig } from "pg";
import { databasePlace, hasTls, TLS_FILES } from "../../config/settings/journal.ts";
import { readTextFile } from "../process/files.ts";
import { tlsFailure } from "../http/tls-failure.ts";
import { succeed } from "../../domain/result.ts";
import { messageOf } from "../../domain/error-message.ts";
import { NO_SUCH_LOGIN } from "./client.ts";
import { meaningOfPooler, POOLER_CODE } from "./pooler.ts";

type Connection = Pick<ClientConfig, "connectionString" | "ssl">;

/**
 * What the next connection is made with: the URL in the file, with its certificates, as they are by then. If it cannot be
 * used, or leads to another database, it is that of the connection before. Throws at once if the first cannot be used.
 */
export function currentConnection(url: string, file: string | undefined): () => Connection {
  const place = databasePlace(url);
  let last = connectionOf(url);
  return () => {
    const read = file === undefined ? succeed(url) : readTextFile(file);
    const text = read.ok ? read.value : "";
    try {
      if (databasePlace(text) === place) last = connectionOf(text);
    } catch {
      // A certificate is just being replaced.
    }
    return last;
  };
}

/**
 * The driver's settings for a connection. TLS is set here and not by the URL, because the driver's authors mean to
 * change how it reads the URL. Throws if a file of certificates cannot be read any more.
 */
export function connectionOf(text: string): Connection {
  const url = new URL(text);
  const mode = url.searchParams.get("sslmode");
  const isTls = hasTls(url.searchParams);
  const [ca, cert, key] = TLS_FILES.map((name) => {
    const file = url.searchParams.get(name);
    return file === null ? undefined : readFileSync(file, "utf8");
  });
  for (const name of ["sslmode", ...TLS_FILES]) url.searchParams.delete(name);
  const connectionString = url.href;
  if (!isTls) return { connectionString, ssl: false };
  const anyName = mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {};
  return { connectionString, ssl: { ca, cert, key, ...anyName } };
}

const TLS_PARAMETERS = {
  ca: "sslrootcert",
  cert: "sslcert and sslkey",
  ifNoTls: "is it PostgreSQL?",
};
const NO_TLS = /does not support SSL/;

/** Why it could not connect; if TLS is the reason, with what to change. */
export function connectProblem(error: unknown): string {
  const message = messageOf(error);
  if (!(error instanceof Error)) return message;
  const code = codeOf(error);
  if (code === POOLER_CODE) return queryProblem(error);
  const untrusted = tlsFailure(code, [error], TLS_PARAMETERS);
  if (untrusted !== undefined) return untrusted.message;
  if (NO_TLS.test(message))
    return `${message}: switch it on there (ssl = on), or say sslmode=disable in the URL`;
  if (message.includes("no encryption"))
    return `${message}: if it takes only connections with TLS, say sslmode=verify-full in the URL`;
  return message;
}

/**
 * SQLSTATEs, or their classes, of a server that cannot answer for now: it starts or stops, has no connection or room
 * left, recovers or is locked.
 */
const PASSING = /^(?:08|25006|40|53|55P03|57|58)/;

/**
 * Whether a person must fix it: a password, a role, a name, a certificate. It may pass by itself if no server was
 * reached, because it is away or its name does not resolve, or if the server is busy.
 */
export function isLasting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === POOLER_CODE) return meaningOfPooler(error.message)?.isLasting === true;
  if ("severity" in error) return !PASSING.test(code);
  if (error.message.startsWith(NO_SUCH_LOGIN)) return true;
  return tlsFailure(code, [error], TLS_PARAMETERS) !== undefined || NO_TLS.test(error.message);
}

/** Explanations that the messages of the database and its driver lack, by code or message. */
const MEANINGS: Readonly<Record<string, string>> = {
  "25006": "it is a standby, or set to be read only: the URL must lead to the primary",
  "42P01":
    "the database holds no journal of aggwatch, or a part of one: restore it, or restart a replica to begin an empty one",
  "42501": "the role of the URL needs to own the tables, or a schema in which it may make them",
  "55P03": "another session holds a lock; pg_locks says which",
  "Query read timeout": "the database took the query, and did not answer in time",
};

/** Why the database refused a query, with an explanation if its own message has none. */
export function queryProblem(error: unknown): string {
  const message = messageOf(error);
  if (!(error instanceof Error)) return message;
  const code = codeOf(error);
  const ofPooler = code === POOLER_CODE ? meaningOfPooler(message)?.means : undefined;
  const meaning = ofPooler ?? MEANINGS[code] ?? MEANINGS[error.message];
  return meaning === undefined ? message : `${message}: ${meaning}`;
}

/** Its SQLSTATE, or that of Node; empty if it has none. */
export function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}
