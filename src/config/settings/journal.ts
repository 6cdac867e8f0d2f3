import { formatDuration, MINUTE, SECOND, type Millis } from "../../domain/time.ts";
import { isInternalHost, OR_INTERNAL } from "../../schema/internal-host.ts";
import { pathText } from "../yaml/yaml-source.ts";
import { readSecret, secretKey, type SecretForm } from "./resolve-credential.ts";
import type { Resolving } from "./resolving.ts";
import { secret, type Secret } from "./secret.ts";
import type { ParsedSettings } from "./settings-schema.ts";

/** Where the journal is: a file in the directory `data`, or a PostgreSQL that several replicas share. */

/** A journal in PostgreSQL, which several replicas share. */
export type PostgresSettings = {
  readonly url: Secret;
  /** Where the URL is read again for each connection. Undefined if a variable holds it. */
  readonly urlFile: string | undefined;
  /** Undefined: the host's name. */
  readonly replica: string | undefined;
  readonly leaseMs: Millis;
};

const PATH = ["journal", "postgres"];

/** A shorter one is lost to a garbage collection or a busy disk, and a longer one leaves too much time unwatched. */
const SHORTEST_LEASE = 3 * SECOND;
const LONGEST_LEASE = 5 * MINUTE;

const DATABASE_URL: SecretForm = {
  pattern: /^postgres(?:ql)?:\/\/\S+$/,
  otherwise: "holds no URL as postgres://USER:PASSWORD@HOST/DATABASE",
  secretPart: (text) => databasePlace(text) ?? text,
};

/** Undefined if the journal is a file. If the URL has a problem, which is reported, it is empty. */
export function resolveJournal(
  work: Resolving,
  text: ParsedSettings["journal"]["postgres"],
): PostgresSettings | undefined {
  if (text === undefined) return undefined;
  const fixed: Resolving = {
    ...work,
    noteSecret: (path, value) => work.noteSecret(path, value, "needs restart"),
  };
  const url = readSecret(fixed, text, PATH, "url", DATABASE_URL);
  if (url !== undefined) work.noteSecret([...PATH, "credentials"], credentialsOf(url));
  const path = [...PATH, secretKey(text, "url")];
  for (const message of url === undefined ? [] : urlProblems(url, work))
    work.report({ id: "config/bad-value", path, message });
  if (url !== undefined && isInClear(url))
    work.warn({
      id: "lint/secret-in-clear",
      path,
      message: `the URL in "${pathText(path)}" has a password and no TLS, so all goes to the database in the clear`,
      hint: `add sslmode=verify-full to the URL, ${OR_INTERNAL}`,
    });
  if (text.lease < SHORTEST_LEASE || text.lease > LONGEST_LEASE)
    work.report({
      id: "config/bad-value",
      path: [...PATH, "lease"],
      message: '"lease" must be between 3s and 5m',
    });
  return {
    url: url ?? secret(""),
    urlFile: text.url_file,
    replica: text.replica,
    leaseMs: text.lease,
  };
}

/** A URL without its user and password, which may change while the database is the same; undefined if it is none. */
export function databasePlace(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  url.username = "";
  url.password = "";
  return url.href;
}

/** The user and the password. A user alone is no secret, and masking it would mask it in every text. */
function credentialsOf(text: Secret): Secret {
  const url = URL.parse(text.reveal());
  return url === null || url.password === "" ? text : secret(`${url.username}:${url.password}`);
}

/** Whether a password, and all that is written, goes to a host outside without TLS. */
function isInClear(text: Secret): boolean {
  const url = URL.parse(text.reveal());
  if (url === null || hasTls(url.searchParams)) return false;
  if (url.password === "" && !url.searchParams.has("password")) return false;
  const host = url.searchParams.get("host") ?? url.hostname;
  const isSocket = host === "" || /^(?:\/|%2f)/i.test(host);
  return !isSocket && !isInternalHost(/^[^[].*:/.test(host) ? `[${host}]` : host);
}

/** Whether a URL demands TLS, by what it says of it. */
export function hasTls(given: URLSearchParams): boolean {
  const mode = given.get("sslmode");
  return mode === null ? TLS_FILES.some((name) => given.has(name)) : mode !== "disable";
}

function urlProblems(url: Secret, { readText }: Resolving): readonly string[] {
  const parsed = URL.parse(url.reveal());
  const found = [...hostProblems(url.reveal(), parsed?.searchParams)];
  if (parsed !== null) return [...found, ...tlsProblems(parsed.searchParams, readText)];
  // Ports of several hosts make a URL that cannot be parsed.
  return found.length > 0
    ? found
    : ["what it holds is not a URL: encode special characters in the password (%40 for @)"];
}

const ONE_HOST = "give one host: a pooler, a virtual IP or a DNS name of the primary";

/** The driver takes a list of hosts for the name of one, and ignores what would choose among them. */
function* hostProblems(text: string, given: URLSearchParams | undefined): Generator<string> {
  const hosts = [/:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text)?.[1], ...(given?.getAll("host") ?? [])];
  if (!hosts.some((host) => host?.includes(","))) return;
  const chosen = given?.has("target_session_attrs")
    ? ", and target_session_attrs does not choose among them"
    : "";
  yield `the URL names several hosts${chosen}: ${ONE_HOST}`;
}

/**
 * What the URL of a database says of TLS. `verify-ca` asks for a certificate of the authority in `sslrootcert`, whatever
 * name it is for. `require` verifies as `verify-full` does: TLS to an unverified server stops no attacker.
 */
const TLS_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
export const TLS_FILES = ["sslrootcert", "sslcert", "sslkey"] as const;
/** All that a URL may say of TLS. The driver would prefer `ssl=0` to any `sslmode`, and ignore unknown keys. */
const TLS_KEYS: readonly string[] = ["sslmode", ...TLS_FILES];

/** Why a URL leaves in doubt how the connection is verified. */
function* tlsProblems(given: URLSearchParams, readText: Resolving["readText"]): Generator<string> {
  const keys = [...new Set(given.keys())];
  for (const key of keys)
    if (/^(?:ssl|tls)/i.test(key) && !TLS_KEYS.includes(key))
      yield `${key} in the URL is not known: TLS is set with ${TLS_KEYS.join(", ")} alone, such as sslmode=verify-full`;
  const twice = TLS_KEYS.filter((key) => given.getAll(key).length > 1);
  for (const key of twice) yield `${key} is in the URL more than once`;
  if (!twice.includes("sslmode")) yield* modeProblems(given);
  const isHalf = given.has("sslcert") !== given.has("sslkey");
  if (isHalf) yield "the URL has one of sslcert and sslkey: it needs both, or neither";
  for (const name of TLS_FILES) {
    const file = given.get(name);
    if (file === null || twice.includes(name) || (isHalf && name !== "sslrootcert")) continue;
    const read = readText(file);
    if (!read.ok) yield `${name} in the URL, ${file}, cannot be read: ${read.problem}`;
    else if (!read.value.includes("-----BEGIN "))
      yield `${name} in the URL, ${file}, is not a PEM file`;
  }
}

function* modeProblems(given: URLSearchParams): Generator<string> {
  const mode = given.get("sslmode");
  if (mode === "prefer" || mode === "allow")
    yield `sslmode=${mode} in the URL may silently go on without TLS: write verify-full, or disable`;
  else if (mode !== null && !TLS_MODES.some((one) => one === mode))
    yield `sslmode in the URL is not one of ${TLS_MODES.join(", ")}`;
  if (mode === "verify-ca" && !given.has("sslrootcert"))
    yield "sslmode=verify-ca in the URL needs sslrootcert=FILE: it takes any name, so not of any authority";
}

/** The part of a lease that is always left while all goes well (`src/run/replica/lease-keeper.ts`). */
const ALWAYS_LEFT = 0.75;

/** Refuses a lease so short that no action could ever be sent, as a request must not outlast the lease. */
export function leaseCheck({
  journal: { postgres },
  aggregators,
}: {
  readonly journal: { readonly postgres: PostgresSettings | undefined };
  readonly aggregators: ReadonlyArray<{ readonly timeouts: { readonly requestMs: Millis } }>;
}) {
  const times = aggregators.map(({ timeouts }) => timeouts.requestMs);
  const longest = Math.max(0, ...times);
  if (postgres === undefined || postgres.leaseMs * ALWAYS_LEFT > longest) return [];
  const left = formatDuration(postgres.leaseMs * ALWAYS_LEFT);
  return [
    {
      path: [...PATH, "lease"],
      follows: [["aggregators", times.indexOf(longest), "timeout"]],
      message: `"lease" is too short: ${left} of it are left before each renewal, and a request may take ${formatDuration(longest)}, so that no action could be sent`,
      hint: "make the lease longer, or `timeout` of the aggregator shorter",
    },
  ];
}
